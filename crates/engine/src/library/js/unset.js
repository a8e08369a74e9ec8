const [path] = args;
if (!_.has(snapshot, path)) {
  throw new Error(`${path} does not exist`);
}
_.unset(snapshot, path);
return snapshot;
