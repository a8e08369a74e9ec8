// Which chat is open, and by which names the server knows it.

import { sha256 } from "./sha256.ts";
import type { Card, Context, Group } from "./sillytavern.ts";

/** The chat that is open. */
export interface Place {
  /** The avatar of its character, or `group:` and the id of its group. */
  owner: string;
  /** The name of the chat without `.jsonl`. */
  chat: string;
  /** The name of its file below SillyTavern's data, which the server keeps as `chat_file`. */
  file: string;
  title: string;
  group: Group | null;
  cards: Card[];
}

const GROUPS = "group chats";

export function placeOf(at: Pick<Context, "characters" | "groups" | "characterId" | "groupId" | "chatId">): Place | null {
  if (at.groupId) {
    const group = at.groups.find((group) => String(group.id) === String(at.groupId));
    if (!group?.chat_id) return null;
    const cards = group.members.map((avatar) => at.characters.find((card) => card.avatar === avatar)).filter((card) => card !== undefined);
    return { owner: `group:${group.id}`, chat: group.chat_id, file: groupFile(group.chat_id), title: group.name, group, cards };
  }
  const card = at.characterId === undefined || at.characterId === null ? undefined : at.characters[Number(at.characterId)];
  if (!card?.avatar || !card.chat) return null;
  return { owner: card.avatar, chat: card.chat, file: chatFile(card.avatar, card.chat), title: card.chat, group: null, cards: [card] };
}

/** The file of a character's chat. Two characters can have chats of one name, so the folder is part of it. */
export function chatFile(avatar: string, chat: string): string {
  return `${avatar.replace(/\.[^.]*$/, "")}/${withoutEnding(chat)}`;
}

export function groupFile(chat: string): string {
  return `${GROUPS}/${withoutEnding(chat)}`;
}

/** The folder and the name of a chat's file. */
export function partsOf(file: string): { folder: string; chat: string; isGroup: boolean } {
  const slash = file.indexOf("/");
  const folder = file.slice(0, Math.max(0, slash));
  return { folder, chat: file.slice(slash + 1), isGroup: folder === GROUPS };
}

function withoutEnding(chat: string): string {
  return chat.replace(/\.jsonl$/, "");
}

/** The id of the server's character, where no other was chosen. */
export function characterId(owner: string): string {
  return `st.${sha256(owner).slice(0, 24)}`;
}
