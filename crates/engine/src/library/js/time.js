// Where the story's time stands: the first of these places that is there, otherwise the last.
const paths = ["世界.时间", "time"];
const [time] = args;
_.set(snapshot, paths.find((path) => _.has(snapshot, path)) ?? paths.at(-1), time);
return snapshot;
