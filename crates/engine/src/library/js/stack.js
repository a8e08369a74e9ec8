// The bag is an object: {"治疗药水": 2}. A stack that becomes empty goes away.
const [bag, item, amount = 1] = args;
const stacks = _.get(snapshot, bag, {});
if (!_.isPlainObject(stacks) || !Number.isInteger(amount)) {
  throw new Error(`${bag} must be an object of numbers, and the amount a whole number`);
}
const left = (stacks[item] ?? 0) + amount;
if (left < 0) {
  throw new Error(`${bag} has only ${stacks[item] ?? 0} of ${item}`);
}
const changed = { ...stacks, [item]: left };
if (left === 0) {
  delete changed[item];
}
_.set(snapshot, bag, changed);
return snapshot;
