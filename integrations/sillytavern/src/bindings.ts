// The ids of snapshots on messages, for people and other extensions.
//
// SillyTavern copies `extra` between a message and its swipes, carries it over to new swipes and forgets other places (see the design
// page). So the id stands in `extra` with a part of the text's hash beside it, and counts only where the hash is that of the text.

import { swipesOf } from "./chat.ts";
import { hashOf } from "./sha256.ts";
import type { Extra, Message } from "./sillytavern.ts";

export const ID = "st_var_system_snapshot_id";
export const HASH = "st_var_system_snapshot_hash";

/** The snapshots of a message: of each swipe, null where it has none. */
export type Snapshots = readonly (string | null)[];

/** The id that is bound to the text of a message as it is now. */
export function boundId(extra: Extra | undefined, text: string): string | null {
  const id = extra?.[ID];
  return typeof id === "string" && extra?.[HASH] === shortHash(text) ? id : null;
}

/** Binds the snapshots of all swipes, and removes ids that are lost. Answers whether anything changed. */
export function bind(message: Message, snapshots: Snapshots): boolean {
  const { swipes, active } = swipesOf(message);
  // More swipes than the server takes: only the one that counts is known by its place.
  const isWhole = swipes.length === (message.swipes?.length || 1) && snapshots.length === swipes.length;
  const id = isWhole ? (snapshots[active] ?? null) : null;
  let changed = false;
  if (id !== null && !message.extra) message.extra = {};
  if (message.extra) changed = set(message.extra, id, swipes[active] ?? "") || changed;
  message.swipe_info?.forEach((info, index) => {
    if (!info || typeof info !== "object") return;
    const own = isWhole ? (snapshots[index] ?? null) : null;
    if (own !== null && !info.extra) info.extra = {};
    // `extra` of the shown swipe can be one object with the message's.
    if (info.extra) changed = set(info.extra, own, swipes[index] ?? "") || changed;
  });
  return changed;
}

function set(extra: Extra, id: string | null, text: string): boolean {
  if (id === null) {
    if (!(ID in extra) && !(HASH in extra)) return false;
    delete extra[ID];
    delete extra[HASH];
    return true;
  }
  if (extra[ID] === id && extra[HASH] === shortHash(text)) return false;
  extra[ID] = id;
  extra[HASH] = shortHash(text);
  return true;
}

function shortHash(text: string): string {
  return hashOf(text).slice(0, 16);
}
