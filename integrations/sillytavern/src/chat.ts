// A chat of SillyTavern as the floors of a session: who speaks, all swipes, and which of them counts.

import type { Message } from "./sillytavern.ts";
import { hashOf, sha256 } from "./sha256.ts";

/** One message. */
export interface Floor {
  role: "user" | "assistant" | "system" | "tool";
  name: string | null;
  active: number;
  swipes: string[];
}

/** What the server takes of a message. */
export const SWIPES_MAX = 100;
const NAME_MAX = 200;

/** The floors of a chat, one for each message. */
export function floorsOf(chat: readonly Message[]): Floor[] {
  return chat.map((message) => {
    const { swipes, active } = swipesOf(message);
    const name = message.name ? wellFormed(message.name.slice(0, NAME_MAX)) : null;
    return { role: roleOf(message), name, active, swipes: swipes.map(wellFormed) };
  });
}

/**
 * Who speaks. A message that was hidden is still part of the story: hiding saves tokens and must not change the state. What the system,
 * a narrator or a tool says is not the model's reply, so no commands are read from it.
 */
export function roleOf(message: Message): Floor["role"] {
  if (message.is_user) return "user";
  if (Array.isArray(message.extra?.["tool_invocations"])) return "tool";
  const type = message.extra?.["type"];
  // Replies with a picture and the like have other types.
  return typeof type === "string" && SYSTEM_TYPES.has(type) ? "system" : "assistant";
}

const SYSTEM_TYPES = new Set([
  "help", "welcome", "empty", "generic", "narrator", "comment", "slash_commands", "formatting", "hotkeys", "macros", "welcome_prompt", "assistant_note",
]);

/**
 * All swipes of a message and the one that counts. `mes` is what is shown and sent: the stored swipes of a greeting keep their macros.
 * While another swipe is generated `swipe_id` points behind the last one and `mes` is still the old text.
 */
export function swipesOf(message: Message): { swipes: string[]; active: number } {
  const stored = message.is_user ? [] : (message.swipes ?? []);
  if (stored.length === 0) return { swipes: [message.mes ?? ""], active: 0 };
  const swipes = stored.map((text) => text ?? "");
  const active = Math.min(Math.max(message.swipe_id ?? 0, 0), swipes.length - 1);
  if (!isSwiping(message)) swipes[active] = message.mes ?? "";
  const first = Math.max(0, Math.min(active, swipes.length - SWIPES_MAX));
  return { swipes: swipes.slice(first, first + SWIPES_MAX), active: active - first };
}

/** Whether another swipe of the message is wanted and not there yet. */
export function isSwiping(message: Message | undefined): boolean {
  return !!message?.swipes?.length && (message.swipe_id ?? 0) >= message.swipes.length;
}

/** How many messages a prompt ends with. The reply that is swiped is not part of it; one that is continued is. */
export function promptEnd(chat: readonly Message[], generation: string | null): number {
  const last = chat[chat.length - 1];
  const rewritten = last !== undefined && !last.is_user && (generation === "swipe" || isSwiping(last));
  return rewritten ? chat.length - 1 : chat.length;
}

/** A floor as a sync names it: by hashes. */
export function named(floor: Floor) {
  return { role: floor.role, name: floor.name, active: floor.active, swipes: floor.swipes.map((text) => ({ hash: hashOf(text) })) };
}

/** A fingerprint of each floor, to find out how far two chats are the same. */
export function fingerprint(floor: Floor): string {
  return `${floor.role}\n${floor.active}\n${floor.name ?? ""}\n${floor.swipes.map(hashOf).join("")}`;
}

/** A fingerprint of a whole chat. */
export function digest(prints: readonly string[]): string {
  return sha256(prints.join("\n\n"));
}

/** How many fingerprints at the beginning of both lists are the same. */
export function commonStart(one: readonly string[], other: readonly string[]): number {
  let count = 0;
  while (count < one.length && count < other.length && one[count] === other[count]) count += 1;
  return count;
}

/** Half of a surrogate pair is no text that can be sent. */
export function wellFormed(text: string): string {
  return text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
}
