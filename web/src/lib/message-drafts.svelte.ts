// Texts that are being written. They live longer than the cards and pages that show them: a floor that scrolls out of view
// keeps its draft, and so does a session that is left for a while.

import { SvelteMap } from "svelte/reactivity";

export interface FloorDraft {
  text: string;
  /** What was there when writing began, and its tag. */
  base: string;
  etag: string | null;
}

/** The text of a floor that is being edited, by its page. */
export const floorDrafts = new SvelteMap<string, FloorDraft>();

/** The message that is being written, by session and branch. */
export const messageDrafts = new SvelteMap<string, string>();

window.addEventListener("beforeunload", (event) => {
  const changed = [...floorDrafts.values()].some((draft) => draft.text !== draft.base);
  if (changed || [...messageDrafts.values()].some((text) => text.trim() !== "")) event.preventDefault();
});
