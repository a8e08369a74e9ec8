// The lowest and the highest value of each path.
const ranges = {
  "角色.生命值": [0, 100],
  "角色.好感度": [-100, 100],
};

for (const [path, [lowest, highest]] of Object.entries(ranges)) {
  const value = _.get(snapshot, path);
  if (_.isFinite(value)) {
    _.set(snapshot, path, _.clamp(value, lowest, highest));
  }
}
return snapshot;
