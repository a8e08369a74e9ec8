// The archive: sessions that are put aside. It is a mark among a session's metadata.

import { responseInfo, type Session } from "@tavernkeep/sdk";
import { client } from "./api.svelte.ts";

export const isArchived = (session: Session) => session.metadata?.archived === true;

/** Puts a session into the archive or takes it out; what else its metadata has stays, also if another page changes it meanwhile. */
export async function putArchived(id: string, on: boolean): Promise<void> {
  const session = await client.sessions.get(id);
  const { archived: _, ...metadata } = session.metadata ?? {};
  const etag = responseInfo(session)?.etag;
  await client.sessions.update(id, { metadata: on ? { ...metadata, archived: true } : metadata }, etag ? { ifMatch: etag } : {});
}
