// Reads a value of the state by its path: `角色.金币`, `背包[0]`, `装备["剑.名"]`.

/** The value at a path; undefined where there is none. The whole text is tried as a key first. */
export function valueAt(state: unknown, path: string): unknown {
  const written = path.trim();
  if (written === "") return state;
  if (isObject(state) && Object.hasOwn(state, written)) return state[written];
  let value = state;
  for (const key of keysOf(written)) {
    if (Array.isArray(value)) value = /^\d+$/.test(key) ? value[Number(key)] : undefined;
    else if (isObject(value) && Object.hasOwn(value, key)) value = value[key];
    else return undefined;
  }
  return value;
}

const PART = /\[\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\]]*))\s*\]|([^.[\]]+)/g;

function keysOf(path: string): string[] {
  return Array.from(path.matchAll(PART), ([, double, single, plain, word]) => {
    const quoted = double ?? single;
    return quoted === undefined ? (plain ?? word ?? "").trim() : quoted.replace(/\\(.)/g, "$1");
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
