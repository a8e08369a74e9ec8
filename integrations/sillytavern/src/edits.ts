// A branch or a checkpoint of a chat begins with copies of its messages. Their states follow from the texts, except for edits by hand:
// those are copied here.

import type { TavernkeepClient, TranscriptFloor } from "@tavernkeep/sdk";

/** Copies the edits by hand of a chat to a chat that begins with the same messages. Answers how many pages got some. */
export async function copyEdits(client: TavernkeepClient, from: string, to: string): Promise<number> {
  const source = await edited(client, from);
  if (source.length === 0) return 0;
  const target = await all(client, to);
  let copied = 0;
  for (const { floor, index } of source) {
    const other = target[index];
    if (!floor.page_id || !other?.page_id || !(await sameText(client, floor.page_id, other.page_id))) continue;
    const { data } = await client.pages.listEdits(floor.page_id);
    for (const edit of data.filter((edit) => edit.taken_back_at === null)) {
      const patch = edit.patch.map(({ op, path, value }) => (op === "remove" ? { op, path } : { op, path, value }));
      await client.pages.patchState(other.page_id, { patch: patch as never, process: false, ...(edit.reason !== null && { reason: edit.reason }) });
    }
    copied += 1;
  }
  if (copied > 0) await client.sessions.process(to, { branch_id: "main" });
  return copied;
}

async function edited(client: TavernkeepClient, session: string): Promise<{ floor: TranscriptFloor; index: number }[]> {
  const floors = await all(client, session);
  return floors.map((floor, index) => ({ floor, index })).filter(({ floor }) => floor.edited === true);
}

async function all(client: TavernkeepClient, session: string): Promise<TranscriptFloor[]> {
  const floors: TranscriptFloor[] = [];
  for (let from: number | null = 0; from !== null; ) {
    const { data, meta } = (await client.sessions.getTranscript(session, { content: false, from, limit: 100 })) as { data: TranscriptFloor[]; meta: { next_from?: number | null } };
    floors.push(...data);
    from = meta.next_from ?? null;
  }
  return floors;
}

async function sameText(client: TavernkeepClient, one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([client.pages.get(one), client.pages.get(other)]);
  return first.content === second.content;
}
