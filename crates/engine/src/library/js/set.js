const [path, value] = args;
_.set(snapshot, path, value);
return snapshot;
