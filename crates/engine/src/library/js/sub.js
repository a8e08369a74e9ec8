const [path, amount] = args;
const current = _.get(snapshot, path, 0);
if (!_.isFinite(current) || !_.isFinite(amount)) {
  throw new Error(`${path} can only be changed by a number`);
}
_.set(snapshot, path, current - amount);
return snapshot;
