// Makes a session equal to a chat: what is the same is named by a version, what may be new by hashes, and texts are sent when the server
// asks for them.

import { ApiError, hasCode, type SyncReport, type TavernkeepClient } from "@tavernkeep/sdk";
import { commonStart, digest, fingerprint, type Floor, named } from "./chat.ts";
import { hashOf } from "./sha256.ts";

/** What both sides knew after the last sync. `prints` is missing after the page was loaded again. */
export interface Known {
  version: string;
  digest: string;
  prints?: string[];
}

export interface Synced {
  report: SyncReport;
  known: Known;
  /** Floors that only the server had, because another client wrote there. */
  trashed: number;
}

/** Bytes of texts in one request; the server takes 8 MiB. */
const TEXT_BYTES_MAX = 6 * 1024 * 1024;
const FLOORS_MAX = 20_000;
// Floors and swipes that may be lost: what the chat no longer has is in the trash.
const LOST_MAX = 1_000_000;

type Request = Parameters<TavernkeepClient["sessions"]["sync"]>[1];

/** Makes the session equal to the chat. What others added there meanwhile goes to the trash: the chat that is open is what counts. */
export async function syncChat(client: TavernkeepClient, session: string, chat: readonly Floor[], known: Known | null): Promise<Synced> {
  const floors = chat.slice(-FLOORS_MAX);
  const prints = floors.map(fingerprint);
  const all = digest(prints);
  const kept = known === null ? 0 : known.prints ? commonStart(known.prints, prints) : known.digest === all ? prints.length : 0;
  let report: SyncReport | null = null;
  let trashed = 0;
  if (known && kept > 0) {
    report = await attempt(() => send(client, session, floors, { kept, expected_version: known.version }));
  }
  if (!report && known && kept === 0) {
    report = await attempt(() => send(client, session, floors, { expected_version: known.version }));
  }
  if (!report) {
    report = await send(client, session, floors, { max_deleted: LOST_MAX });
    trashed = report.deleted;
  }
  return { report, known: { version: report.version, digest: all, prints }, trashed };
}

/** Whether a sync changed anything. */
export function hasNews({ created, changed, moved, deleted, processed }: SyncReport): boolean {
  return created + changed + moved + deleted + (processed?.processed ?? 0) > 0;
}

/** Null if the branch is not what was expected: then all of it has to be compared. */
async function attempt(call: () => Promise<SyncReport>): Promise<SyncReport | null> {
  try {
    return await call();
  } catch (error) {
    if (hasCode(error, "chat_moved") || (error instanceof ApiError && error.status === 400)) return null;
    throw error;
  }
}

async function send(client: TavernkeepClient, session: string, floors: readonly Floor[], base: Omit<Request, "floors">): Promise<SyncReport> {
  const kept = base.kept ?? 0;
  const sent = floors.slice(kept);
  const texts = new Map<string, string>();
  for (const floor of sent) for (const text of floor.swipes) texts.set(hashOf(text), text);
  const body = { ...base, floors: sent.map(named) };
  let report = await client.sessions.sync(session, body);
  while (report.missing.length > 0) {
    const missing = new Set(report.missing);
    const end = fitting(sent, missing);
    const part = body.floors.slice(0, end);
    const needed = new Set(part.flatMap((floor) => floor.swipes.map((swipe) => swipe.hash)).filter((hash) => missing.has(hash)));
    const partial = await client.sessions.sync(session, { ...body, floors: part, expected_version: report.version, texts: [...needed].map((hash) => texts.get(hash) ?? "") });
    if (partial.missing.length > 0) throw new Error("the server asks for the same texts again");
    if (end === sent.length) return partial;
    // The chat is longer than one request: the next one finds the first part stored.
    report = await client.sessions.sync(session, { ...body, expected_version: partial.version });
  }
  return report;
}

/** How many floors can be sent with the texts that are missing of them. */
function fitting(floors: readonly Floor[], missing: ReadonlySet<string>): number {
  const counted = new Set<string>();
  let bytes = 0;
  for (const [index, floor] of floors.entries()) {
    for (const text of floor.swipes) {
      const hash = hashOf(text);
      if (!missing.has(hash) || counted.has(hash)) continue;
      counted.add(hash);
      // Three bytes for a UTF-16 unit at most.
      bytes += text.length * 3;
    }
    if (bytes > TEXT_BYTES_MAX && index > 0) return index;
  }
  return floors.length;
}
