// The snapshots that a line can pick from: those of its own pages, and those of the floors it shares with the branch it was
// forked from.

import type { SnapshotEntry } from "@tavernkeep/sdk";
import { client } from "./api.svelte.ts";
import { t } from "./i18n.svelte.ts";
import { wholeList } from "./lists.ts";

export interface Entry {
  id: string;
  floor_no: number;
  role: string | null;
  swipe: number;
  active: boolean;
  edited: boolean;
}

const own = ({ id, floor_no, role, page_version, is_active, edited }: SnapshotEntry): Entry[] =>
  floor_no === null ? [] : [{ id, floor_no, role, swipe: (page_version ?? 0) + 1, active: is_active !== false, edited }];

/** All entries of a line, the last floor first. `onpart` gets the first ones as soon as they are there. */
export async function readEntries(session: string, branch: string, onpart: (entries: Entry[]) => void): Promise<Entry[]> {
  const read = (window: { limit: number; offset: number; total: boolean }) =>
    client.sessions.listSnapshots(session, { ...window, branch_id: branch, sort_by: "floor_no", sort_order: "desc" });
  const entries = (await wholeList(read, (rows) => onpart(rows.flatMap(own)))).flatMap(own);
  if (branch !== "main") entries.push(...(await shared(session, branch)));
  return entries;
}

async function shared(session: string, branch: string): Promise<Entry[]> {
  const found: Entry[] = [];
  for (let from = 0; ; ) {
    const { data } = await client.sessions.getTranscript(session, { branch_id: branch, from, limit: 100, content: false });
    for (const floor of data) {
      if (floor.shared && floor.snapshot_id) found.push({ id: floor.snapshot_id, floor_no: floor.floor_no, role: floor.role, swipe: floor.swipe ?? 1, active: true, edited: floor.edited === true });
    }
    // Shared floors come first.
    const last = data.at(-1);
    if (!last?.shared || data.length < 100) return found.reverse();
    from = last.floor_no + 1;
  }
}

export function entryLabel(entry: Entry): string {
  const role = entry.role === "user" ? t("snapshot.byUser") : entry.role === "system" ? t("snapshot.bySystem") : t("snapshot.byModel");
  const text = t("snapshot.entry", { no: entry.floor_no, role, swipe: entry.swipe });
  return `${text}${entry.active ? "" : ` ${t("snapshot.inactive")}`}${entry.edited ? " ✎" : ""}`;
}
