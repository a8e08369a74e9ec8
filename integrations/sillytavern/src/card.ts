// What a card says about variables: `data.extensions.st_var_system`.

import { sha256 } from "./sha256.ts";
import type { Card } from "./sillytavern.ts";

export const FIELD = "st_var_system";

/** The block of a card. Unknown keys are kept. */
export interface Block {
  enabled?: boolean;
  templateBody?: Record<string, unknown>;
  functions?: Record<string, unknown>[];
}

/** A character as the server gets it. */
export interface CharacterFields {
  name: string;
  enabled: boolean;
  template: Record<string, unknown>;
  greetings: string[];
  functions: Record<string, unknown>[];
}

export function blockOf(card: Card): Block {
  const block = card.data?.extensions?.[FIELD];
  return isObject(block) ? (block as Block) : {};
}

/** Whether the chats of a card are processed. A group is, as soon as one member asks for it. */
export function isEnabled(cards: readonly Card[], allCharacters: boolean): boolean {
  const wishes = cards.map((card) => blockOf(card).enabled);
  return wishes.includes(true) || (allCharacters && !wishes.includes(false));
}

/** The fields of a character or of a group, whose members add up: the first that names a key of the template has it. */
export function fieldsOf(title: string, cards: readonly Card[]): CharacterFields {
  const template: Record<string, unknown> = {};
  const functions: Record<string, unknown>[] = [];
  for (const card of cards) {
    const block = blockOf(card);
    for (const [key, value] of Object.entries(isObject(block.templateBody) ? block.templateBody : {})) {
      if (!Object.hasOwn(template, key)) template[key] = value;
    }
    for (const entry of Array.isArray(block.functions) ? block.functions : []) {
      if (!functions.some((known) => known["name"] === entry["name"])) functions.push(functionFields(entry));
    }
  }
  const [card] = cards;
  const greetings = cards.length === 1 && card ? [card.data?.first_mes ?? card.first_mes ?? "", ...(card.data?.alternate_greetings ?? [])] : [];
  return { name: title.slice(0, 300) || "?", enabled: true, template, greetings: greetings.filter(Boolean).slice(0, 100), functions };
}

const FUNCTION_FIELDS = ["id", "name", "type", "enabled", "order", "pattern", "timing", "description", "signature", "example", "executor"];

/** A function without what other programs keep beside it. */
function functionFields(entry: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(FUNCTION_FIELDS.filter((name) => entry[name] !== undefined).map((name) => [name, entry[name]]));
}

/** Changes when anything changes that the server gets. */
export function cardPrint(fields: CharacterFields): string {
  return sha256(JSON.stringify(fields)).slice(0, 32);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
