// Whole lists: the API gives at most a hundred rows at a time.

import type { ListMeta } from "@tavernkeep/sdk";

const PART = 100;
const AT_ONCE = 4;

interface Window {
  limit: number;
  offset: number;
  total: boolean;
}

/** Reads all rows of a list, some parts at a time; `onpart` gets what is there so far. */
export async function wholeList<T>(read: (window: Window) => Promise<{ data: T[]; meta: ListMeta }>, onpart?: (rows: T[]) => void): Promise<T[]> {
  const first = await read({ limit: PART, offset: 0, total: true });
  const rows = first.data;
  if (!first.meta.has_more) return rows;
  onpart?.([...rows]);
  const offsets = Array.from({ length: Math.ceil((first.meta.total ?? 0) / PART) - 1 }, (_, index) => (index + 1) * PART);
  for (let at = 0; at < offsets.length; at += AT_ONCE) {
    const parts = await Promise.all(offsets.slice(at, at + AT_ONCE).map((offset) => read({ limit: PART, offset, total: false })));
    rows.push(...parts.flatMap((part) => part.data));
  }
  return rows;
}
