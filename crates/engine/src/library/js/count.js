const [path, step = 1] = args;
const count = _.get(snapshot, path, 0);
if (!_.isFinite(count) || !_.isFinite(step)) {
  throw new Error(`${path} is no counter`);
}
_.set(snapshot, path, count + step);
return snapshot;
