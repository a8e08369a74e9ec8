// The settings of the extension, kept with SillyTavern's own.

import { context } from "./sillytavern.ts";

/** What a person can set. */
export interface Settings {
  /** Whether the extension does anything at all. */
  enabled: boolean;
  /** Where the server is. */
  address: string;
  key: string;
  /** Ask through SillyTavern's server, where the plugin is installed: for browsers that cannot reach the address. */
  through_plugin: boolean;
  /** Also chats of characters that do not ask for it with `st_var_system.enabled`. */
  all_characters: boolean;
  /** The profile of characters that this extension creates. */
  profile: string;
  /** The name of the chat variable; the state as an object stands beside it. */
  variable: string;
  object_variable: string;
  /** Where the state is put into the prompt: -1 nowhere, 0 behind the main prompt, 1 in the chat at `depth`, 2 before the main prompt. */
  position: number;
  depth: number;
  /** 0 system, 1 user, 2 assistant. */
  role: number;
  /** The name of the profile's view; empty for its first. */
  view: string;
  /** Around the view; `{{view}}` is where it stands. */
  frame: string;
  /** Also how functions are called and how commands are written. */
  rules: boolean;
  /** How long a generation waits for the server, in ms. */
  wait_ms: number;
  language: "auto" | "zh" | "en";
  /** The server's characters by avatar or group, with the fingerprint of the card as it was last sent. */
  characters: Record<string, { id: string; card: string }>;
  /** What has to be done when the server is there again. */
  pending: Pending[];
}

/** A chat that was deleted or renamed. */
export type Pending = { deleted: string } | { renamed: [from: string, to: string] };

export const DEFAULTS: Settings = {
  enabled: true,
  address: "http://127.0.0.1:7117",
  key: "",
  through_plugin: false,
  all_characters: false,
  profile: "default",
  variable: "vs_stat_data",
  object_variable: "vs_stat_object",
  position: 1,
  depth: 1,
  role: 0,
  view: "",
  frame: "<state>\n{{view}}\n</state>",
  rules: false,
  wait_ms: 3000,
  language: "auto",
  characters: {},
  pending: [],
};

const NAME = "tavernkeep";

/** The settings, which SillyTavern stores when `saveSettings` is called. */
export function settings(): Settings {
  const all = context().extensionSettings;
  const stored = (all[NAME] ?? {}) as Partial<Settings>;
  // SillyTavern replaces its settings as a whole when it loads them, so the object is looked up each time.
  for (const [name, value] of Object.entries(DEFAULTS)) {
    if (!(name in stored)) Object.assign(stored, { [name]: structuredClone(value) });
  }
  all[NAME] = stored;
  return stored as Settings;
}

export function saveSettings(): void {
  context().saveSettingsDebounced();
}
