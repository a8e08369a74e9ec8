// Values, paths and differences as people read them.

import { type Json, stringifyJson } from "@tavernkeep/sdk";

/** A value on one line; long ones are cut. */
export function brief(value: unknown, length = 160): string {
  const text = typeof value === "string" ? value : stringifyJson(value);
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

/** The tokens of a JSON Pointer. */
export function tokens(pointer: string): string[] {
  return pointer.split("/").slice(1).map((token) => token.replace(/~1/g, "/").replace(/~0/g, "~"));
}

/** A JSON Pointer as commands write it: `bag[0].name`. */
export function written(pointer: string): string {
  if (pointer === "") return "(root)";
  let path = "";
  for (const token of tokens(pointer)) {
    if (/^\d+$/.test(token)) path += `[${token}]`;
    else if (/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(token)) path += path ? `.${token}` : token;
    else path += `[${JSON.stringify(token)}]`;
  }
  return path;
}

/** Text cut into what stayed, went and came, by words or, in scripts without spaces, by characters. */
export function wordDiff(before: string, after: string): { kind: "same" | "removed" | "added"; text: string }[] {
  const [a, b] = [split(before), split(after)];
  // A long text would cost the square of its words.
  if (a.length * b.length > 250_000) return [{ kind: "removed", text: before }, { kind: "added", text: after }];
  const width = b.length + 1;
  const table = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const down = table[(i + 1) * width + j] ?? 0;
      const right = table[i * width + j + 1] ?? 0;
      table[i * width + j] = a[i] === b[j] ? (table[(i + 1) * width + j + 1] ?? 0) + 1 : Math.max(down, right);
    }
  }
  const parts: { kind: "same" | "removed" | "added"; text: string }[] = [];
  const push = (kind: "same" | "removed" | "added", text: string) => {
    const last = parts.at(-1);
    if (last?.kind === kind) last.text += text;
    else parts.push({ kind, text });
  };
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      push("same", a[i] ?? "");
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && (table[(i + 1) * width + j] ?? 0) >= (table[i * width + j + 1] ?? 0))) {
      push("removed", a[i] ?? "");
      i += 1;
    } else {
      push("added", b[j] ?? "");
      j += 1;
    }
  }
  return parts;
}

function split(text: string): string[] {
  return text.match(/\p{Script=Han}|[\p{L}\p{N}]+|\s+|[^\p{L}\p{N}\s]/gu) ?? [];
}

/** How much a number changed, with its sign. */
export function delta(before: unknown, after: unknown): string | null {
  const isNumber = (value: unknown) => typeof value === "number" || typeof value === "bigint";
  if (!isNumber(before) || !isNumber(after)) return null;
  const difference =
    Number.isInteger(before) || typeof before === "bigint"
      ? Number.isInteger(after) || typeof after === "bigint"
        ? BigInt(after as number) - BigInt(before as number)
        : Number(after) - Number(before)
      : Number(after) - Number(before);
  const shown = typeof difference === "bigint" ? difference.toString() : String(Number(difference.toPrecision(12)));
  return shown.startsWith("-") ? `−${shown.slice(1)}` : `+${shown}`;
}

export interface Difference {
  op: "add" | "remove" | "replace";
  path: string;
  value?: Json | undefined;
  old?: Json | undefined;
}

const isObject = (value: unknown): value is Record<string, Json> => typeof value === "object" && value !== null && !Array.isArray(value);

/** How two documents differ, with old and new values; for what was typed and is not stored yet. */
export function differences(before: Json, after: Json, path = "", list: Difference[] = []): Difference[] {
  if (isObject(before) && isObject(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const inner = `${path}/${key.replace(/~/g, "~0").replace(/\//g, "~1")}`;
      if (!Object.hasOwn(before, key)) list.push({ op: "add", path: inner, value: after[key] });
      else if (!Object.hasOwn(after, key)) list.push({ op: "remove", path: inner, old: before[key] });
      else differences(before[key] as Json, after[key] as Json, inner, list);
    }
  } else if (stringifyJson(before) !== stringifyJson(after)) list.push({ op: "replace", path, old: before, value: after });
  return list;
}

const META = new Set(["$meta", "$arrayMeta"]);

/** Removes MVU's metadata from a document. */
export function stripMvu(value: Json): Json {
  if (Array.isArray(value)) return value.filter((item) => item !== "$__META_EXTENSIBLE__$").map(stripMvu);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !META.has(key)).map(([key, inner]) => [key, stripMvu(inner)]));
}

/** Applies one operation to a document, which stands under the empty name. Says what stood there, and whether that is an item of a list. */
function applyTo(root: Record<string, Json>, { op, path, value }: { op: string; path: string; value?: Json | undefined }): { isItem: boolean; old: Json | undefined } {
  const way = ["", ...tokens(path)];
  const last = way.pop() ?? "";
  const holder = way.reduce<Json | undefined>((inner, token) => member(inner, token), root as Json);
  const old = member(holder, last);
  if (Array.isArray(holder)) {
    const index = last === "-" ? holder.length : Number(last);
    if (op === "remove") holder.splice(index, 1);
    else holder.splice(index, op === "add" ? 0 : 1, clone(value as Json));
  } else if (isObject(holder)) {
    if (op === "remove") delete holder[last];
    else holder[last] = clone(value as Json);
  }
  return { isItem: Array.isArray(holder), old };
}

/** Adds the old values to a JSON Patch: what stood there when each operation was applied, one after the other, to `base`. */
export function withOld(base: Json, patch: readonly { op: string; path: string; value?: Json | undefined }[]): Difference[] {
  const root = { "": clone(base) } as Record<string, Json>;
  return patch.map(({ op, path, value }) => {
    const { isItem, old } = applyTo(root, { op, path, value });
    const verb = op === "add" && (isItem || old === undefined) ? "add" : op === "remove" ? "remove" : "replace";
    return { op: verb, path, value, old: verb === "add" ? undefined : old };
  });
}

/** A document with differences applied, one after the other. */
export function patched(base: Json, changes: readonly Difference[]): Json {
  const root: Record<string, Json> = { "": clone(base) };
  for (const change of changes) applyTo(root, change);
  return root[""] ?? null;
}

/** A text with the changes of two people; null where both changed the same place. */
export function mergedText(base: string, mine: string, theirs: string): string | null {
  const region = (changed: string) => {
    const [from, to] = [split(base), split(changed)];
    let start = 0;
    while (start < from.length && start < to.length && from[start] === to[start]) start += 1;
    let end = 0;
    while (end < from.length - start && end < to.length - start && from.at(-1 - end) === to.at(-1 - end)) end += 1;
    return { start, end: from.length - end, words: to.slice(start, to.length - end) };
  };
  const [own, other] = [region(mine), region(theirs)];
  const [first, second] = own.start <= other.start ? [own, other] : [other, own];
  if (first.end > second.start || (first.start === second.start && first.end === second.end && base !== mine && base !== theirs)) return null;
  const words = split(base);
  return [...words.slice(0, first.start), ...first.words, ...words.slice(first.end, second.start), ...second.words, ...words.slice(second.end)].join("");
}

function member(holder: Json | undefined, token: string): Json | undefined {
  if (Array.isArray(holder)) return holder[Number(token)];
  return isObject(holder) && Object.hasOwn(holder, token) ? holder[token] : undefined;
}

const clone = (value: Json): Json => structuredClone(value);

/** The paths of a document that lead to plain values, as commands write them. */
export function leaves(value: Json, path = "", list: { path: string; value: Json }[] = []): { path: string; value: Json }[] {
  if (list.length >= 2_000) return list;
  if (Array.isArray(value)) value.forEach((inner, index) => leaves(inner, `${path}/${index}`, list));
  else if (isObject(value)) {
    for (const [key, inner] of Object.entries(value)) leaves(inner, `${path}/${key.replace(/~/g, "~0").replace(/\//g, "~1")}`, list);
  } else list.push({ path: written(path), value });
  return list;
}
