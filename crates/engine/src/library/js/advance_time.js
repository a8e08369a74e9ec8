// Where the time stands, and by how many minutes it moves on in each turn.
const path = "世界.时间";
const minutes = 60;

if (_.has(snapshot, path)) {
  _.set(snapshot, path, addMinutes(_.get(snapshot, path), minutes));
}
return snapshot;
