import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { hasCode, TavernkeepClient } from "../packages/sdk/dist/index.js";
import { startServer } from "./server.mjs";

let server;
let client;
before(async () => {
  server = await startServer();
  client = new TavernkeepClient({ baseUrl: server.url });
});
after(() => server.close());

const chat = '{"chat_metadata":{"a":1},"user_name":"unused","character_name":"unused"}\n{"name":"Hana","is_user":false,"mes":"Hi.","extra":{"b":[2]}}';

test("a chat goes in and comes out as it was", async () => {
  const report = await client.imports.run({ file_name: "Hana/evening.jsonl", content: chat });
  assert.deepEqual([report.kind, report.outcome, report.name], ["chat", "created", "Hana/evening"]);
  const file = await client.imports.session(report.session_id);
  assert.deepEqual((await file.text()).split("\n").map((line) => JSON.parse(line)), chat.split("\n").map((line) => JSON.parse(line)));
  await assert.rejects(client.imports.run({ file_name: "Hana/evening.jsonl", content: chat }), (error) => hasCode(error, "import_exists"));
  await assert.rejects(client.imports.run({ file_name: "a.jsonl", content: "no" }), (error) => hasCode(error, "import_unreadable"));
  await assert.rejects(client.imports.session("nobody"), (error) => hasCode(error, "session_not_found"));
});

test("a picture stays the picture that it was", async () => {
  const made = await client.characters.create({ id: "c", name: "雪", greetings: ["Hi."] });
  const png = await client.imports.character(made.id);
  const bytes = new Uint8Array(await png.arrayBuffer());
  assert.deepEqual([...bytes.subarray(0, 8)], [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const report = await client.imports.file(new File([bytes], "雪.png"));
  assert.deepEqual([report.kind, report.name, report.card.greetings], ["card", "雪", 1]);
  const again = new Uint8Array(await (await client.imports.character(report.character_id)).arrayBuffer());
  assert.deepEqual(again, bytes);
  const json = JSON.parse(await (await client.imports.character(report.character_id, { format: "json" })).text());
  assert.equal(json.data.name, "雪");
});
