const [path, members] = args;
const target = _.get(snapshot, path, {});
if (!_.isPlainObject(members) || !_.isPlainObject(target)) {
  throw new Error(`${path} must be an object, and so must what is merged into it`);
}
_.set(snapshot, path, { ...target, ...members });
return snapshot;
