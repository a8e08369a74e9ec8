// The document of the memory rules, taken apart for reading. Most values are pairs `[value, "description"]`.

import { type Json, type JsonObject, stringifyJson } from "@tavernkeep/sdk";

export const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether a profile uses the pack. */
export function usesMemory(profile: unknown): boolean {
  if (profile === "memory") return true;
  if (!isObject(profile)) return false;
  return profile.base === "memory" || (isObject(profile.packs) && "memory" in profile.packs) || (Array.isArray(profile.packs) && profile.packs.includes("memory"));
}

/** A value with its description. */
export interface Leaf {
  value: Json;
  description: string;
}

/** The leaf that a value is; null for an object with members of its own. */
export function leaf(value: Json | undefined): Leaf | null {
  if (value === undefined || isObject(value)) return null;
  if (Array.isArray(value) && value.length === 2 && typeof value[1] === "string" && !isObject(value[0])) return { value: value[0] as Json, description: value[1] };
  // The stock of a resource: its rate, what there is, and what it is.
  if (Array.isArray(value) && value.length === 3 && typeof value[2] === "string") return { value: `${shown(value[1])} (${shown(value[0])})`, description: value[2] };
  return { value, description: "" };
}

/** A value as people read it. */
export function shown(value: Json | undefined): string {
  if (value === undefined || value === null || value === "") return "–";
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.every((item) => typeof item !== "object")) return value.map(String).join(", ") || "–";
  return stringifyJson(value);
}

/** What lies at a path of keys. */
export function at(document: Json | undefined, ...path: string[]): Json | undefined {
  return path.reduce<Json | undefined>((inner, key) => (isObject(inner) ? inner[key] : undefined), document);
}

/** The value at a path, without its description. */
export const valueAt = (document: Json | undefined, ...path: string[]): Json | undefined => leaf(at(document, ...path))?.value;

/** A number that has a maximum, such as 生命值: `{当前, 上限}`. */
export function gauge(value: Json): { now: number; max: number } | null {
  if (!isObject(value)) return null;
  const [now, max] = [valueAt(value, "当前"), valueAt(value, "上限")];
  return typeof now === "number" && typeof max === "number" ? { now, max } : null;
}

/** Members that are shown: keys with `_` are settings of the node. */
export const members = (value: JsonObject): [string, Json][] => Object.entries(value).filter(([key]) => !key.startsWith("_"));
