const [path, amount] = args;
const current = _.get(snapshot, path, 0);
if (Array.isArray(current)) {
  current.push(amount);
} else if (_.isFinite(current) && _.isFinite(amount)) {
  _.set(snapshot, path, current + amount);
} else {
  throw new Error(`${path} can only be changed by a number`);
}
return snapshot;
