// The extension: listens to SillyTavern's events, and hands everything to the keeper.

import { deletedFiles } from "./deleted.ts";
import { chatFile, groupFile } from "./identity.ts";
import { Keeper } from "./keeper.ts";
import { Live } from "./live.ts";
import { addMenuItem } from "./menu.ts";
import { Panel } from "./panel.ts";
import { registerMacros } from "./published.ts";
import { saveSettings, settings } from "./settings.ts";
import { context } from "./sillytavern.ts";

// A streamed reply gets its last touches after this event.
const AFTER_STREAM_MS = 300;

/** Events after which something about the chat may be different; several changes have none and are found before the next generation. */
const CHANGES = [
  "MESSAGE_SWIPED", "MESSAGE_EDITED", "MESSAGE_UPDATED", "MESSAGE_SWIPE_DELETED", "MESSAGE_FILE_EMBEDDED",
  "CHARACTER_EDITED", "CHAT_CREATED", "GROUP_CHAT_CREATED", "CHAT_LOADED", "GROUP_UPDATED", "CHARACTER_MESSAGE_RENDERED",
];

function start(): void {
  const keeper = new Keeper();
  const panel = new Panel(keeper);
  const live = new Live(keeper);
  let shown = "";
  keeper.onStatus = () => {
    panel.mark();
    live.follow();
    const chat = `${keeper.session} ${keeper.character}`;
    if (keeper.status !== "working" && chat !== shown) {
      shown = chat;
      panel.refresh();
    }
  };
  const { eventTypes } = context();
  const on = (name: string, handler: (...args: never[]) => unknown) => {
    // Older versions lack some events.
    const event = eventTypes[name];
    if (event !== undefined) context().eventSource.on(event, handler);
  };
  for (const name of CHANGES) on(name, () => keeper.touch());
  for (const name of ["MESSAGE_SENT", "MESSAGE_DELETED"]) on(name, () => keeper.changeMessages());
  on("CHAT_CHANGED", () => keeper.changeChat());
  on("MESSAGE_RECEIVED", () => keeper.endGeneration(0));
  on("GENERATION_ENDED", () => keeper.endGeneration(AFTER_STREAM_MS));
  on("GENERATION_STOPPED", () => keeper.endGeneration(AFTER_STREAM_MS));
  on("GENERATION_AFTER_COMMANDS", (type: string, _options: unknown, dryRun: boolean) => (dryRun ? undefined : keeper.prepare(type)));
  globalThis.tavernkeep_before_generation = (_chat, _size, _abort, type) => keeper.prepare(type);
  on("CHAT_DELETED", async (chat: string) => {
    const at = context();
    const avatar = at.characterId === undefined ? undefined : at.characters[Number(at.characterId)]?.avatar;
    try {
      for (const deleted of await deletedFiles(keeper.client(), chat, avatar)) keeper.note({ deleted });
    } catch (error) {
      console.warn("[Tavernkeep] a deleted chat was not found; cleaning up finds it later:", error);
    }
  });
  on("GROUP_CHAT_DELETED", (chat: string) => keeper.note({ deleted: groupFile(chat) }));
  on("CHAT_RENAMED", (renamed: { avatarId?: string; groupId?: string; oldFileName: string; newFileName: string }) => {
    const fileOf = (chat: string) => (renamed.groupId ? groupFile(chat) : chatFile(renamed.avatarId ?? "", chat));
    keeper.note({ renamed: [fileOf(renamed.oldFileName), fileOf(renamed.newFileName)] });
  });
  on("CHARACTER_RENAMED", (from: string, to: string) => {
    const { characters } = settings();
    const known = characters[from];
    if (!known) return;
    delete characters[from];
    characters[to] = known;
    saveSettings();
  });
  window.addEventListener("online", () => keeper.touch());
  registerMacros(context());
  addMenuItem(keeper);
  keeper.changeChat();
  Object.assign(globalThis, { tavernkeep: { keeper, panel } });
}

start();
