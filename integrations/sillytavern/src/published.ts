// Where SillyTavern and the model see the state: chat variables, macros and the prompt.

import { stringifyJson } from "@tavernkeep/sdk";
import { guardedJson, guardedText } from "./braces.ts";
import { valueAt } from "./path.ts";
import type { Context, Metadata } from "./sillytavern.ts";
import type { Settings } from "./settings.ts";
import type { Shown } from "./shown.ts";

const PROMPT = "tavernkeep_state";
const NOWHERE = -1;

/** The state that macros read now. */
let current: unknown = {};
let currentText = "{}";
let shownText = "";

/** Shows a state in the chat whose metadata are given. Answers whether something has to be saved. */
export function publish(at: Context, metadata: Metadata, settings: Settings, shown: Shown): boolean {
  current = JSON.parse(shown.text);
  currentText = guardedJson(shown.text);
  const changed = setVariables(metadata, settings, shown.text);
  prompt(at, settings, [shown.view, ...(settings.rules ? [shown.rules] : [])].filter(Boolean).join("\n\n"));
  return changed;
}

/** Shows what the chat has stored, until the server is asked. */
export function publishStored(at: Context, metadata: Metadata, settings: Settings): void {
  const text = metadata.variables?.[settings.variable];
  try {
    current = JSON.parse(typeof text === "string" ? text : "{}");
    currentText = typeof text === "string" ? text : "{}";
  } catch {
    current = {};
    currentText = "{}";
  }
  prompt(at, settings, typeof text === "string" ? text : "");
}

/** Shows nothing: another chat, or one without variables. */
export function withdraw(at: Context): void {
  current = {};
  currentText = "{}";
  at.setExtensionPrompt(PROMPT, "", NOWHERE, 0);
}

function setVariables(metadata: Metadata, settings: Settings, text: string): boolean {
  metadata.variables ??= {};
  const { variables } = metadata;
  const name = settings.variable.trim();
  let changed = false;
  // As text: SillyTavern reads members of a variable only from JSON text, and takes an empty list for the number 0.
  const guarded = guardedJson(text);
  if (name && variables[name] !== guarded) {
    variables[name] = guarded;
    changed = true;
  }
  const object = settings.object_variable.trim();
  if (object && stringifyJson(variables[object]) !== text) {
    variables[object] = JSON.parse(text) as unknown;
    changed = true;
  }
  return changed;
}

function prompt(at: Context, settings: Settings, text: string): void {
  shownText = guardedText(text);
  const framed = text === "" || settings.position === NOWHERE ? "" : settings.frame.replace("{{view}}", "{{vs_view}}");
  at.setExtensionPrompt(PROMPT, framed, settings.position, settings.depth, false, settings.role);
}

/** `{{vs_get::path}}`, `{{vs_stat_data}}` and `{{vs_view}}`. */
export function registerMacros(at: Context): void {
  const read = (path: string) => {
    const value = valueAt(current, path);
    return value === undefined ? "" : typeof value === "string" ? guardedText(value) : guardedJson(stringifyJson(value));
  };
  if (at.macros?.register) {
    at.macros.register("vs_get", { unnamedArgs: 1, description: "A value of the story state: {{vs_get::角色.金币}}", handler: ({ unnamedArgs: [path] }) => read(path ?? "") });
    at.macros.register("vs_stat_data", { description: "The story state as JSON", handler: () => currentText });
    at.macros.register("vs_view", { description: "The story state as the profile's view shows it", handler: () => shownText });
    return;
  }
  at.registerMacro?.("vs_stat_data", () => currentText);
  at.registerMacro?.("vs_view", () => shownText);
}
