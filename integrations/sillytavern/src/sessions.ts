// Finds or makes the server's session and character of a chat.

import { ConflictError, hasCode, NotFoundError, type Session, type TavernkeepClient } from "@tavernkeep/sdk";
import { cardPrint, fieldsOf } from "./card.ts";
import { characterId, type Place } from "./identity.ts";

/** What the chat remembers of its session, in its own metadata. */
export interface Remembered {
  session: string;
  file: string;
  version: string;
  digest: string;
}

export function remembered(value: unknown): Remembered | null {
  const found = value as Partial<Remembered> | null | undefined;
  return typeof found?.session === "string" && typeof found.file === "string" ? { version: "", digest: "", ...found } as Remembered : null;
}

export interface FoundSession {
  session: Session;
  isNew: boolean;
}

/**
 * The session of a chat. The name of the file decides; a chat that remembers a session under another name was renamed if no file of that
 * name exists any more, and is a copy otherwise.
 */
export async function findSession(
  client: TavernkeepClient,
  place: Place,
  memory: Remembered | null,
  character: string,
  fileExists: (file: string) => Promise<boolean>,
): Promise<FoundSession> {
  const named = await byFile(client, place.file);
  if (named) return { session: named, isNew: false };
  if (memory && memory.file !== place.file) {
    const renamed = await client.sessions.get(memory.session).catch(missing);
    if (renamed && !(await fileExists(renamed.chat_file))) {
      const session = await client.sessions.update(renamed.id, { chat_file: place.file, title: place.title, character_id: character });
      return { session, isNew: false };
    }
  }
  try {
    const body = { chat_file: place.file, title: place.title, character_id: character, greetings: [], metadata: { source: "sillytavern" } };
    return { session: await client.sessions.create(body), isNew: true };
  } catch (error) {
    // Another window of the same chat was faster.
    const session = error instanceof ConflictError ? await byFile(client, place.file) : null;
    if (session) return { session, isNew: false };
    throw error;
  }
}

export async function byFile(client: TavernkeepClient, file: string): Promise<Session | null> {
  const { data } = await client.sessions.list({ chat_file: file, limit: 1, total: false });
  return data[0] ?? null;
}

function missing(error: unknown): null {
  if (error instanceof NotFoundError) return null;
  throw error;
}

/** The name of the server's character. */
export function titleOf(place: Place): string {
  return place.group ? place.title : (place.cards[0]?.name ?? place.title);
}

/** What is known of the character of a card. */
export interface KnownCharacter {
  id: string;
  card: string;
}

/** Makes the server's character equal to the card, if the card has changed since. What is edited on the server stays otherwise. */
export async function findCharacter(client: TavernkeepClient, place: Place, known: KnownCharacter | undefined, profile: string): Promise<KnownCharacter> {
  const fields = fieldsOf(titleOf(place), place.cards);
  const card = cardPrint(fields);
  const id = known?.id ?? characterId(place.owner);
  const exists = await client.characters.get(id).catch(missing);
  if (!exists) {
    await client.characters.create({ id, ...fields, profile } as never);
  } else if (known && known.card !== card) {
    // A card without a template has nothing to say about one that was written on the server.
    const { functions, template, ...rest } = fields;
    const body = { ...rest, ...(!isEmpty(template) && { template }), ...(functions.length > 0 && { functions }) };
    await client.characters.update(id, body as never);
  }
  return { id, card };
}

function isEmpty(template: Record<string, unknown>): boolean {
  return Object.keys(template).length === 0;
}

/** Deletes the session of a chat that is gone; it stays in the trash for a while. */
export async function dropSession(client: TavernkeepClient, file: string): Promise<void> {
  const session = await byFile(client, file);
  if (session) await client.sessions.delete(session.id).catch(missing);
}

/** Follows the new name of a chat's file. */
export async function renameSession(client: TavernkeepClient, from: string, to: string, title: string): Promise<void> {
  const session = await byFile(client, from);
  if (!session) return;
  try {
    await client.sessions.update(session.id, { chat_file: to, title });
  } catch (error) {
    // The new name was reconciled before the old one was known to be gone: that session has nothing that this one has not.
    if (!(error instanceof ConflictError) || hasCode(error, "version_conflict" as never)) throw error;
    const other = await byFile(client, to);
    if (!other || other.id === session.id) throw error;
    await client.sessions.delete(other.id);
    await client.sessions.update(session.id, { chat_file: to, title });
  }
}
