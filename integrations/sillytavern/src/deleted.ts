// Which chat was deleted. SillyTavern names the chat and not its character, and several characters can have chats of one name.

import { paginate, type TavernkeepClient } from "@tavernkeep/sdk";
import { fileExists } from "./files.ts";
import { chatFile, partsOf } from "./identity.ts";
import { byFile } from "./sessions.ts";

/** The files of deleted chats of this name that the server has a session of. */
export async function deletedFiles(client: TavernkeepClient, chat: string, avatar: string | undefined): Promise<string[]> {
  const likely = avatar === undefined ? null : chatFile(avatar, chat);
  const isGone = likely !== null && !(await fileExists(likely));
  try {
    if (isGone && (await byFile(client, likely))) return [likely];
    const files: string[] = [];
    for await (const { chat_file } of paginate((window) => client.sessions.list({ ...window, total: false }))) {
      const found = partsOf(chat_file);
      if (found.chat === chat && found.folder !== "" && !found.isGroup && !(await fileExists(chat_file))) files.push(chat_file);
    }
    return files;
  } catch (error) {
    // The server is away: the character that is open is the best guess, and a chat without a session is nothing to delete.
    if (isGone) return [likely];
    throw error;
  }
}
