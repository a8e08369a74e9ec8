const [path, members] = args;
if (!_.isPlainObject(members)) {
  throw new Error("ASSIGN needs an object");
}
_.set(snapshot, path, { ..._.get(snapshot, path, {}), ...members });
return snapshot;
