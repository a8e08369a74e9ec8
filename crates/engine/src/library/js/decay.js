// By how much each value falls in a turn, and how low it can get.
const rates = {
  "角色.饱食度": { by: 2, lowest: 0 },
  "角色.体力": { by: 1, lowest: 0 },
};

for (const [path, { by, lowest }] of Object.entries(rates)) {
  const value = _.get(snapshot, path);
  if (_.isFinite(value) && value > lowest) {
    _.set(snapshot, path, Math.max(lowest, value - by));
  }
}
return snapshot;
