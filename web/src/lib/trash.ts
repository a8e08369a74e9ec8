// What a deletion put into the trash can be taken back from the message about it.

import { responseInfo } from "@tavernkeep/sdk";
import { client } from "./api.svelte.ts";
import { t } from "./i18n.svelte.ts";
import { attempt, say } from "./toasts.svelte.ts";

/** Sessions that this page deletes, until they are opened again: the event may arrive before the answer, and before the page has left. */
export const deleting = new Set<string>();

/** Says that something was deleted, with a way back if the answer names an item of the trash. */
export function sayDeleted(text: string, answer: object): void {
  const trash = responseInfo(answer)?.trashId;
  say(text, trash ? { label: t("common.undo"), run: () => void attempt(() => client.trash.restore(trash)) } : undefined);
}
