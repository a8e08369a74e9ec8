// The chat that is open: its session and character on the server, and the ids of snapshots on its messages.

import type { TavernkeepClient } from "@tavernkeep/sdk";
import { bind } from "./bindings.ts";
import { cardPrint, fieldsOf } from "./card.ts";
import type { Floor } from "./chat.ts";
import { copyEdits } from "./edits.ts";
import { fileExists } from "./files.ts";
import { chatFile, groupFile, type Place } from "./identity.ts";
import { byFile, findCharacter, findSession, remembered, titleOf } from "./sessions.ts";
import { saveSettings, settings } from "./settings.ts";
import type { Message, Metadata } from "./sillytavern.ts";
import { type Known, syncChat } from "./sync.ts";

/** What is known of the chat that is open. Its metadata are one object as long as it stays open. */
export interface OpenChat {
  metadata: Metadata;
  session: string;
  character: string;
  known: Known | null;
  /** Whether the messages have their ids. */
  isBound: boolean;
}

/** Finds or makes session and character of the chat, unless `open` has them already. A card that has changed is sent. */
export async function openChat(client: TavernkeepClient, place: Place, metadata: Metadata, floors: readonly Floor[], open: OpenChat | null): Promise<OpenChat> {
  const stored = settings();
  const print = cardPrint(fieldsOf(titleOf(place), place.cards));
  const isOpen = open?.metadata === metadata;
  if (isOpen && stored.characters[place.owner]?.card === print) return open;
  const character = await findCharacter(client, place, stored.characters[place.owner], stored.profile || "default");
  if (stored.characters[place.owner]?.card !== character.card) {
    stored.characters[place.owner] = character;
    saveSettings();
  }
  if (isOpen) return open;
  const memory = remembered(metadata.tavernkeep);
  const { session, isNew } = await findSession(client, place, memory, character.id, fileExists);
  const isSame = memory !== null && memory.session === session.id && memory.version !== "";
  const known = isSame ? { version: memory.version, digest: memory.digest } : null;
  const opened = { metadata, session: session.id, character: character.id, known, isBound: false };
  if (isNew && metadata.main_chat) opened.known = await inherit(client, place, session.id, floors, metadata.main_chat);
  return opened;
}

/** A branch or a checkpoint has the edits by hand of the chat that it was made from. */
async function inherit(client: TavernkeepClient, place: Place, session: string, floors: readonly Floor[], chat: string): Promise<Known | null> {
  const parent = await byFile(client, place.group ? groupFile(chat) : chatFile(place.owner, chat));
  if (!parent) return null;
  const { known } = await syncChat(client, session, floors, null);
  await copyEdits(client, parent.id, session);
  return known;
}

/** Messages whose ids are read together. */
const PART = 100;

/** Binds the snapshots to the messages, from the last one back to those that have theirs already. Answers whether anything changed. */
export async function bindAll(client: TavernkeepClient, session: string, messages: readonly Message[]): Promise<boolean> {
  let changed = false;
  for (let last = PART; ; last += PART) {
    const { data } = await client.sessions.getTranscript(session, { content: false, swipes: true, last, limit: PART });
    const first = Math.max(0, messages.length - last);
    // The first part of a chat overlaps with the one behind it.
    const floors = data.slice(0, Math.min(PART, messages.length - (last - PART)));
    let inPart = false;
    for (const [index, floor] of floors.entries()) {
      const message = messages[first + index];
      if (message) inPart = bind(message, (floor.swipes ?? []).map((swipe) => swipe.snapshot_id)) || inPart;
    }
    changed ||= inPart;
    if (!inPart || first === 0) return changed;
  }
}
