// The turn's own chance: the same turn rolls the same dice whenever it is computed again.
const [path, dice] = args;
const [, count, sides, bonus] = /^(\d{0,2})d(\d{1,4})([+-]\d{1,6})?$/i.exec(String(dice).replace(/\s/g, "")) ?? [];
if (!(sides > 0)) {
  throw new Error(`${dice} are no dice; write 2d6+1`);
}
const rolls = _.times(Number(count || 1), () => 1 + Math.floor(context.random() * sides));
_.set(snapshot, path, _.sum(rolls) + Number(bonus ?? 0));
return snapshot;
