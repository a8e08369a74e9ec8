const [path, what] = args;
const list = _.get(snapshot, path);
if (!Array.isArray(list)) {
  throw new Error(`${path} is no list`);
}
// A negative index counts from the end.
const place = Number.isInteger(what) ? what : _.findIndex(list, (item) => _.isEqual(item, what));
const index = Number.isInteger(what) && place < 0 ? list.length + place : place;
if (index < 0 || index >= list.length) {
  throw new Error(`${path} has no such item`);
}
list.splice(index, 1);
return snapshot;
