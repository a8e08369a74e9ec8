const [path] = args;
if (!_.has(snapshot, path)) {
  throw new Error(`${path} does not exist`);
}
const segments = _.toPath(path);
const key = segments.pop();
const container = segments.length ? _.get(snapshot, segments) : snapshot;
if (Array.isArray(container)) {
  container.splice(Number(key), 1);
} else {
  delete container[key];
}
return snapshot;
