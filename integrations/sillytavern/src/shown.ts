// What a prompt is shown: the state, and its text as the profile's view writes it.

import { hasCode, type JsonObject, type PromptKit, stringifyJson, type TavernkeepClient } from "@tavernkeep/sdk";
import type { Settings } from "./settings.ts";

export interface Shown {
  /** The state as JSON text, without rounding. */
  text: string;
  view: string;
  rules: string;
  fresh: boolean;
  outdated: boolean;
  snapshot: string | null;
}

/** The newest state, or with `rewriting` the state before the last message, of which another swipe is written. */
export async function readShown(client: TavernkeepClient, session: string, settings: Settings, rewriting: boolean): Promise<Shown> {
  const before = rewriting ? await lastFloor(client, session) : null;
  const kit = await kitOf(client, session, settings.view.trim(), before);
  const { state, outdated } = before === null ? await client.sessions.getState(session) : await stateOf(client, session, kit);
  const rules = [kit.functions?.text, kit.rules.text, kit.note?.text].filter(Boolean).join("\n\n");
  return { text: stringifyJson(state), view: kit.view.text, rules, fresh: kit.state.fresh, outdated: outdated === true, snapshot: kit.state.snapshot_id };
}

async function lastFloor(client: TavernkeepClient, session: string): Promise<number | null> {
  const { data } = await client.sessions.getTranscript(session, { content: false, last: 1 });
  return data[0]?.floor_no ?? null;
}

async function stateOf(client: TavernkeepClient, session: string, kit: PromptKit): Promise<{ state: unknown; outdated?: boolean }> {
  const id = kit.state.snapshot_id;
  if (id !== null) return client.snapshots.get(id);
  const { template } = await client.sessions.getTemplate(session);
  return { state: (template as JsonObject | null) ?? {} };
}

async function kitOf(client: TavernkeepClient, session: string, view: string, before: number | null): Promise<PromptKit> {
  const query = before === null ? {} : { before_floor: before };
  if (view === "") return client.prompts.getKit(session, query);
  try {
    return await client.prompts.getKit(session, { ...query, view });
  } catch (error) {
    // Profiles have views of their own; one that lacks this name shows its first.
    if (hasCode(error, "view_not_found")) return client.prompts.getKit(session, query);
    throw error;
  }
}
