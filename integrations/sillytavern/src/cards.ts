// Moves template and functions between the card and the server's character.

import { stringifyJson, type TavernkeepClient } from "@tavernkeep/sdk";
import { type Block, blockOf, cardPrint, type CharacterFields, FIELD, fieldsOf } from "./card.ts";
import type { Place } from "./identity.ts";
import { type Card, context } from "./sillytavern.ts";
import { saveSettings, settings } from "./settings.ts";

/**
 * Changes the block of the card that is open, and answers the card as it is then. SillyTavern merges on disk and replaces in memory, so the
 * block is unset first and written whole.
 */
export async function writeBlock(change: Partial<Block>): Promise<Card | null> {
  const at = context();
  const card = at.characterId === undefined ? undefined : at.characters[Number(at.characterId)];
  if (at.characterId === undefined || !card) return null;
  const block = { ...blockOf(card), ...change };
  const written = { ...card, data: { ...card.data, extensions: { ...card.data?.extensions, [FIELD]: block } } };
  const unset = at.constants?.unset;
  if (unset !== undefined) await at.writeExtensionField(at.characterId, FIELD, unset);
  await at.writeExtensionField(at.characterId, FIELD, block);
  return written;
}

/** Writes what the server has into the card, so that it travels with it. */
export async function writeCard(client: TavernkeepClient, character: string, place: Place): Promise<void> {
  const { template, functions } = await client.characters.get(character);
  const card = await writeBlock({ templateBody: JSON.parse(stringifyJson(template ?? {})) as Record<string, unknown>, functions: functions as never });
  if (card) remember(place, character, fieldsOf(card.name, [card]));
}

/** Makes the server's character equal to the card, whatever was edited there. */
export async function readCard(client: TavernkeepClient, character: string, place: Place): Promise<void> {
  const fields = fieldsOf(place.cards[0]?.name ?? place.title, place.cards);
  await client.characters.update(character, fields as never);
  remember(place, character, fields);
}

/** What card and server agree on. The card itself may have changed again by now. */
function remember(place: Place, id: string, fields: CharacterFields): void {
  settings().characters[place.owner] = { id, card: cardPrint(fields) };
  saveSettings();
}
