const [path, amount] = args;
const current = _.get(snapshot, path, 0);
// A number that is written as text counts as a number.
const number = _.isString(current) && current.trim() ? Number(current) : current;
if (!_.isFinite(number) || !_.isFinite(amount)) {
  throw new Error(`${path} can only be changed by a number`);
}
_.set(snapshot, path, number - amount);
return snapshot;
