// What was typed into editors of functions and not saved, while this page is open.

import type { Draft } from "./functions.ts";

export interface Kept {
  /** Null if everything is saved. */
  draft: Draft | null;
  /** What the bench tries the function on. */
  text: string;
  state: string;
}

/** By library and id. */
export const drafts = new Map<string, Kept>();
