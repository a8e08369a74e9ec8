// What we use of SillyTavern: its context and its messages, as versions 1.12 to 1.19 have them.

/** A message of a chat. Unknown keys are SillyTavern's or another extension's. */
export interface Message {
  name?: string;
  is_user?: boolean;
  /** Hidden from the prompt, or a message of the system. */
  is_system?: boolean;
  mes: string;
  extra?: Extra;
  swipe_id?: number;
  swipes?: string[];
  swipe_info?: ({ extra?: Extra } & Record<string, unknown>)[];
}

export type Extra = Record<string, unknown>;

export interface Card {
  name: string;
  avatar: string;
  chat?: string;
  first_mes?: string;
  data?: { first_mes?: string; alternate_greetings?: string[]; extensions?: Record<string, unknown> };
}

export interface Group {
  id: string;
  name: string;
  chat_id: string;
  chats?: string[];
  members: string[];
}

export interface Metadata {
  variables?: Record<string, unknown>;
  /** The chat that this one is a branch or a checkpoint of. */
  main_chat?: string;
  tavernkeep?: unknown;
}

export type Handler = (...args: never[]) => unknown;

export interface MacroCall {
  unnamedArgs: string[];
}

export interface Context {
  chat: Message[];
  chatMetadata: Metadata;
  characters: Card[];
  groups: Group[];
  characterId?: number | string;
  groupId?: string | null;
  chatId?: string;
  extensionSettings: Record<string, unknown>;
  eventSource: { on(event: string, handler: Handler): void };
  eventTypes: Record<string, string>;
  saveChat(): Promise<void>;
  saveSettingsDebounced(): void;
  getRequestHeaders(): Record<string, string>;
  setExtensionPrompt(key: string, text: string, position: number, depth: number, scan?: boolean, role?: number): void;
  writeExtensionField(character: number | string, key: string, value: unknown): Promise<void>;
  getCurrentLocale?(): string;
  unshallowCharacter?(character: number | string): Promise<void>;
  unshallowGroupMembers?(group: string): Promise<void>;
  macros?: { register(name: string, macro: { unnamedArgs?: number; description?: string; handler: (call: MacroCall) => string }): void };
  registerMacro?(name: string, value: (argument?: string) => string): void;
  constants?: { unset?: string };
}

interface Toasts {
  info(text: string, title?: string): void;
  warning(text: string, title?: string): void;
  error(text: string, title?: string): void;
  success(text: string, title?: string): void;
}

declare global {
  var SillyTavern: { getContext(): Context };
  var toastr: Toasts;
  var tavernkeep_before_generation: (chat: unknown[], contextSize: number, abort: () => void, type: string) => Promise<void>;
}

/** The context of this moment. It is made again at each call, so nothing of it may be kept over an `await`. */
export function context(): Context {
  return SillyTavern.getContext();
}
