// Text for the clipboard: requests as curl and TypeScript.

import { parseJson, stringifyJson } from "@tavernkeep/sdk";
import { access, baseUrl } from "./api.svelte.ts";
import { t } from "./i18n.svelte.ts";
import { say } from "./toasts.svelte.ts";

/** A request that a page stands for. */
export interface Request {
  method?: string;
  path: string;
  body?: unknown;
  /** The same call with the SDK. */
  code?: string;
}

export function curl({ method = "GET", path, body }: Request): string {
  const parts = ["curl"];
  if (method !== "GET") parts.push("-X", method);
  // The cookie of this browser stays here; in a terminal a key stands in its place.
  if (access.state === "in") parts.push('-H "Authorization: Bearer $TAVERNKEEP_KEY"');
  parts.push(quoted(baseUrl + path));
  if (body !== undefined) parts.push("-H 'content-type: application/json' -d", quoted(stringifyJson(body)));
  return parts.join(" ");
}

function quoted(text: string): string {
  return `'${text.replace(/'/g, `'\\''`)}'`;
}

export async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Pages that are not served over TLS have no clipboard.
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  say(t("copy.done"));
}

/** The answer to a request, as text. */
export async function answer({ path }: Request): Promise<string> {
  const response = await fetch(baseUrl + path, { headers: { accept: "application/json" } });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return stringifyJson(parseJson(text), 2);
}

/** Offers a text as a file. */
export function download(name: string, text: string, type = "application/json"): void {
  downloadFile(name, new Blob([text], { type }));
}

/** Offers a file. */
export function downloadFile(name: string, file: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
