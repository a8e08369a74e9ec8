// The memory of a session over the SDK against a real server.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import * as sdk from "@tavernkeep/sdk";
import { startServer } from "./server.mjs";

let server;
let client;
const example = (name) => readFile(new URL(`../../../examples/memory/${name}`, import.meta.url), "utf8");
before(async () => {
  server = await startServer();
  client = new sdk.TavernkeepClient({ baseUrl: server.url });
  await client.sessions.create({ id: "forest", profile: "memory" });
  await client.sessions.putTemplate("forest", { template: sdk.parseJson(await example("template.json")) });
  for (const line of (await example("chat.jsonl")).split("\n").filter(Boolean)) await client.sessions.createTurn("forest", sdk.parseJson(line));
});
after(() => server.close());

test("the memory is read as a model is shown it", async () => {
  const memory = await client.memory.get("forest");
  assert.deepEqual([memory.fresh, memory.due], [true, []]);
  assert.match(memory.text, /play_character_data/);
  assert.equal(memory.view.stat_data.user_character.name[0], "阿雪");
});

test("the archive is searched and narrowed down", async () => {
  const { data, meta } = await client.memory.listArchive("forest", { source: "world_set.npc", limit: 1 });
  assert.deepEqual([data[0].name, data[0].floor_no, meta.total], ["黑森林", 29, 2]);
  assert.deepEqual((await client.memory.listArchive("forest", { q: "脾气古怪" })).data.map((entry) => entry.key), ["宗师铁匠"]);
  const keys = [];
  for await (const entry of sdk.paginate((window) => client.memory.listArchive("forest", window), 5)) keys.push(entry.key);
  assert.equal(keys.length, (await client.memory.listArchive("forest")).meta.total);
});

test("a summary is written by hand; without a model none is asked for", async () => {
  await assert.rejects(client.memory.summarize("forest", { force: true }), (error) => sdk.hasCode(error, "invalid_state"));
  const snapshot = await client.memory.summarize("forest", { text: "阿雪离开了黑森林。", key: "尾声", reason: "the end" });
  assert.equal(snapshot.edited, true);
  assert.equal(snapshot.state.assa_data.summary.big.尾声, "阿雪离开了黑森林。");
});

test("a rebuild says first what would differ", async () => {
  const report = await client.sessions.process("forest", { mode: "all", dry_run: true, overwrite_edited: true });
  assert.deepEqual([report.dry_run, report.differing], [true, 1]);
});
