const [path, item] = args;
const list = _.get(snapshot, path, []);
if (!Array.isArray(list)) {
  throw new Error(`${path} is no list`);
}
_.set(snapshot, path, [...list, item]);
return snapshot;
