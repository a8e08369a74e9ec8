// Chats as they were at every event of a play of SillyTavern 1.19 (`make test-sillytavern` with RECORD=1 writes them): after each of them
// the server's states are what the texts lead to, and only what is new is sent.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { characterId, findCharacter, findSession, floorsOf, syncChat, TavernkeepClient } from "../build/parts.js";
import { startServer } from "../../../sdk/typescript/test/server.mjs";
import { statesOf } from "./sillytavern/oracle.mjs";

const { template, events } = JSON.parse(await readFile(new URL("recorded.json", import.meta.url), "utf8"));
let server;
let client;
let sent;

before(async () => {
  server = await startServer();
  const counting = async (input, init) => {
    const request = new Request(input, init);
    const answer = await fetch(request.clone());
    sent += (await request.text()).length + (await answer.clone().text()).length;
    return answer;
  };
  client = new TavernkeepClient({ baseUrl: server.url, fetch: counting });
  sent = 0;
});
after(() => server?.close());

const placeOf = (chat) => ({ owner: "Hana.png", chat, file: `Hana/${chat}`, title: chat, group: null, cards: [{ name: "Hana", avatar: "Hana.png", chat, data: { extensions: { st_var_system: { enabled: true, templateBody: template } } } }] });

async function compare(session, chat) {
  const states = statesOf(shownTexts(chat), template);
  const { data } = await client.sessions.getTranscript(session, { limit: 100 });
  assert.equal(data.length, chat.length);
  for (const [index, floor] of data.entries()) {
    assert.deepEqual((await client.sessions.getState(session, { floor_no: floor.floor_no })).state, states[index], `message ${index}`);
  }
}

/** What counts of a message whose next swipe is not there yet is its last one. */
const shownTexts = (chat) => chat.map((message, index) => ({ ...message, mes: floorsOf(chat)[index].swipes[floorsOf(chat)[index].active] }));

test("every recorded event leads to the states of its texts", async () => {
  assert.ok(events.length > 20, "something was recorded");
  const sessions = new Map();
  const known = new Map();
  for (const { event, chat_name, chat } of events) {
    if (chat.length === 0) continue;
    const place = placeOf(chat_name);
    if (!sessions.has(chat_name)) {
      const character = await findCharacter(client, place, undefined, "default");
      assert.equal(character.id, characterId("Hana.png"));
      sessions.set(chat_name, (await findSession(client, place, null, character.id, async () => true)).session.id);
    }
    const session = sessions.get(chat_name);
    const synced = await syncChat(client, session, floorsOf(chat), known.get(chat_name) ?? null);
    known.set(chat_name, synced.known);
    assert.equal(synced.report.applied, true, event);
    await compare(session, chat);
  }
});

test("a chat of 2,000 messages without changes costs little over the wire", async () => {
  const chat = Array.from({ length: 2000 }, (_, index) => ({ mes: index % 2 ? `Reply ${index}. @.ADD("gold", 1);` : `I say ${index}.`, is_user: index % 2 === 0, name: "Hana" }));
  const { session } = await findSession(client, placeOf("long"), null, characterId("Hana.png"), async () => true);
  const { known, report } = await syncChat(client, session.id, floorsOf(chat), null);
  if (report.job_id) await client.waitForJob(report.job_id);
  sent = 0;
  const again = await syncChat(client, session.id, floorsOf(chat), { version: known.version, digest: known.digest });
  assert.equal(again.report.unchanged, 2000);
  assert.ok(sent < 100_000, `${sent} bytes`);
  chat.push({ mes: "One more.", is_user: true, name: "Ann" });
  sent = 0;
  const more = await syncChat(client, session.id, floorsOf(chat), again.known);
  assert.equal(more.report.created, 1);
  assert.ok(sent < 100_000, `${sent} bytes`);
});

test("somebody else wrote there: the chat that is open counts, and the rest is in the trash", async () => {
  const chat = [{ mes: "Hi.", is_user: true }, { mes: 'Hello. @.ADD("gold", 1);', is_user: false }];
  const { session } = await findSession(client, placeOf("two"), null, characterId("Hana.png"), async () => true);
  const { known } = await syncChat(client, session.id, floorsOf(chat), null);
  await client.sessions.createTurn(session.id, { role: "assistant", content: "Not in the chat." });
  const again = await syncChat(client, session.id, floorsOf(chat), known);
  assert.equal(again.trashed, 1);
  await compare(session.id, chat);
});

test("a renamed chat keeps its session, a copied one gets its own", async () => {
  const id = characterId("Hana.png");
  const { session } = await findSession(client, placeOf("old"), null, id, async () => true);
  const memory = { session: session.id, file: "Hana/old", version: "", digest: "" };
  const copy = await findSession(client, placeOf("copy"), memory, id, async () => true);
  assert.notEqual(copy.session.id, session.id);
  const renamed = await findSession(client, placeOf("new"), memory, id, async () => false);
  assert.equal(renamed.session.id, session.id);
  assert.equal(renamed.session.chat_file, "Hana/new");
});
