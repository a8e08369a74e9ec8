// Chats of SillyTavern (.jsonl): one JSON object per line, the first of which is about the chat.

import type { Body, Json } from "@tavernkeep/sdk";
import { parseJson } from "@tavernkeep/sdk";

type Floors = Body<"sync_session">["floors"];

export interface ImportedChat {
  title: string;
  floors: Floors;
}

const text = (value: Json | undefined) => (typeof value === "string" ? value : undefined);

/** The file is JSON and no chat. */
export class NotAChat extends Error {
  constructor(readonly line: number) {
    super(`line ${line}`);
  }
}

/** What the first line of a chat has. */
const HEAD = ["user_name", "character_name", "chat_metadata", "create_date"];

const isObject = (value: Json): value is { [key: string]: Json } => typeof value === "object" && value !== null && !Array.isArray(value);

/** Reads a chat. Throws where a line is not JSON, and `NotAChat` where it is neither a message nor the head. */
export function readChat(content: string, fileName: string): ImportedChat {
  const lines = content.split("\n").filter((line) => line.trim() !== "");
  const objects = lines.map((line, index) => {
    const value = parseJson(line);
    if (!isObject(value) || !("mes" in value || HEAD.some((name) => name in value))) throw new NotAChat(index + 1);
    return value;
  });
  if (objects.length === 0) throw new NotAChat(1);
  const head = objects.find((line) => !("mes" in line));
  const title = text(head?.character_name) ?? fileName.replace(/\.jsonl?$/i, "");
  const floors = objects
    .filter((line) => "mes" in line)
    .map((line) => {
      const swipes = Array.isArray(line.swipes) ? line.swipes.filter((swipe) => typeof swipe === "string") : [];
      const active = typeof line.swipe_id === "number" && line.swipe_id >= 0 && line.swipe_id < swipes.length ? line.swipe_id : 0;
      const name = text(line.name);
      return {
        role: line.is_user === true ? "user" : line.is_system === true ? "system" : "assistant",
        ...(name !== undefined && { name }),
        active,
        swipes: swipes.length > 0 ? swipes.map((swipe) => ({ content: swipe })) : [{ content: text(line.mes) ?? "" }],
      };
    });
  return { title, floors };
}
