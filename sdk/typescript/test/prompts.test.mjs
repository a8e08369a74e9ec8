// Prompts over the SDK against a real server.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as sdk from "@tavernkeep/sdk";
import { startServer } from "./server.mjs";

let server;
let client;
before(async () => {
  server = await startServer();
  client = new sdk.TavernkeepClient({ baseUrl: server.url });
  const views = { status: { texts: [{ path: "络络.亲密度", ranges: [{ below: 20, text: "她很冷淡。" }, { text: "她是朋友。" }] }] } };
  await client.sessions.create({ id: "prompts", template: { 络络: { 亲密度: 40 } }, profile: { base: "default", views } });
  await client.variables.put({ scope: "branch", session_id: "prompts", branch_id: "main", key: "mood", value: "tense" });
});
after(() => server.close());

test("a preview renders, traces and writes nothing", async () => {
  const prompt = await client.prompts.preview("prompts", { text: "{{getvar::mood}} {{view::status}} {{setvar::n::1}}{{.n}} {{nobody}}", seed: 1 });
  assert.equal(prompt.text, "tense 络络:\n  亲密度: 40\n她是朋友。 1 {{nobody}}");
  assert.equal(prompt.size.characters, [...prompt.text].length);
  const { warnings, mutation_preview, staged_mutations } = prompt.runtime_trace.macro;
  assert.ok(warnings.some((warning) => warning.code === "macro_unknown" && warning.macro_name === "nobody"));
  assert.deepEqual(mutation_preview.map((one) => [one.scope, one.key, one.value]), [["branch", "n", "1"]]);
  assert.deepEqual(staged_mutations, []);
  assert.equal((await client.variables.list({ scope: "branch", session_id: "prompts", branch_id: "main" })).data.length, 1);
});

test("messages are rendered in order, each with its size", async () => {
  const messages = [{ role: "system", content: "{{setvar::a::b}}" }, { role: "user", content: "{{.a}} <USER>" }];
  const prompt = await client.prompts.preview("prompts", { messages, user: "阿雪" });
  assert.deepEqual(prompt.messages.map((message) => [message.role, message.content, message.size.characters]), [["system", "", 0], ["user", "b 阿雪", 4]]);
});

test("a rendering stages what the macros write, and the commit applies it", async () => {
  await client.floors.create({ id: "pf", session_id: "prompts" });
  await client.pages.create({ id: "pp", floor_id: "pf", page_kind: "output" });
  await client.floors.generate("pf");
  const prompt = await client.prompts.render("prompts", { page_id: "pp", text: "{{setvar::mood::calm}}Hello." });
  assert.deepEqual(prompt.runtime_trace.macro.staged_mutations.map((one) => one.key), ["mood"]);
  await client.floors.commit("pf");
  assert.equal((await client.prompts.preview("prompts", { text: "{{getvar::mood}}" })).text, "calm");
});

test("a kit has its parts with their sizes", async () => {
  const kit = await client.prompts.getKit("prompts", { view: "status" });
  assert.equal(kit.view.name, "status");
  assert.match(kit.view.text, /她是朋友/);
  assert.ok(kit.rules.size.characters > 0 && kit.size.characters >= kit.view.size.characters + kit.rules.size.characters);
  await assert.rejects(client.prompts.getKit("prompts", { view: "nothing" }), (error) => sdk.hasCode(error, "view_not_found"));
});
