// Where the story's time stands.
const path = "time";
const [time] = args;
_.set(snapshot, path, time);
return snapshot;
