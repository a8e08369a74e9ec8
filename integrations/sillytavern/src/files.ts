// Which chats SillyTavern has. It emits nothing when a file is renamed or deleted outside of it.

import { chatFile, groupFile, partsOf } from "./identity.ts";
import { context } from "./sillytavern.ts";

/** Whether a chat's file still exists. */
export async function fileExists(file: string): Promise<boolean> {
  const { folder, isGroup } = partsOf(file);
  if (isGroup) return groupFiles().includes(file);
  const card = context().characters.find((card) => chatFile(card.avatar, "") === `${folder}/`);
  return card !== undefined && (await filesOf(card.avatar)).includes(file);
}

/** All chats of all characters and groups. */
export async function allFiles(): Promise<string[]> {
  const files = groupFiles();
  for (const card of context().characters) files.push(...(await filesOf(card.avatar)));
  return files;
}

function groupFiles(): string[] {
  return context().groups.flatMap((group) => [...(group.chats ?? []), group.chat_id]).map(groupFile);
}

async function filesOf(avatar: string): Promise<string[]> {
  const headers = context().getRequestHeaders();
  const response = await fetch("/api/characters/chats", { method: "POST", headers, body: JSON.stringify({ avatar_url: avatar, simple: true }) });
  if (!response.ok) throw new Error(`SillyTavern cannot list the chats of ${avatar}: ${response.status}`);
  const found = (await response.json()) as { file_name?: string }[] | { error?: boolean };
  return Object.values(found).flatMap((chat) => (typeof chat === "object" && chat.file_name ? [chatFile(avatar, chat.file_name)] : []));
}
