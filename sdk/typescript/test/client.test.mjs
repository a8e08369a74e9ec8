import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as sdk from "@tavernkeep/sdk";
import { flattenVariableSnapshot } from "@tavernkeep/client-helpers";
import { startServer } from "./server.mjs";

let server;
let client;
before(async () => {
  server = await startServer();
  client = new sdk.TavernkeepClient({ baseUrl: server.url });
});
after(() => server.close());

test("a conversation from its template to its history", async () => {
  await client.sessions.create({ id: "tale", title: "A tale", template: { yuki: { affinity: 40 }, gold: 5 } });
  const turn = await client.sessions.createTurn("tale", { role: "assistant", page_id: "t1", content: 'Hi. @.ADD("yuki.affinity", 2); @.ADD("nobody", "x");' });
  assert.equal(turn.commands.length, 2);
  assert.equal((await client.sessions.getState("tale")).state.yuki.affinity, 42);
  const history = await client.sessions.getHistory("tale", { path: "yuki.affinity" });
  assert.deepEqual(history.points.map((point) => point.value), [42]);
  assert.equal((await client.pages.getBlame("t1", { path: "yuki.affinity" })).source, "command");
  const { data, meta } = await client.sessions.getTranscript("tale", { last: 5, swipes: true });
  assert.equal(data[0].page_id, "t1");
  assert.equal(meta.has_more, false);
  const change = await client.floors.getChange(turn.floor_id, { include_commands: true });
  assert.equal(change.change.length, 1);
});

test("numbers beyond 2^53 pass through unharmed", async () => {
  await client.sessions.create({ id: "large", template: { id: 9223372036854775807n, small: 1 } });
  const { state } = await client.sessions.getState("large");
  assert.equal(state.id, 9223372036854775807n);
  assert.equal(state.small, 1);
  const variable = await client.variables.put({ scope: "chat", scope_id: "large", key: "n", value: [-9007199254740993n] });
  assert.deepEqual(variable.value, [-9007199254740993n]);
});

test("variables resolve with their layers, staged writes and promotions", async () => {
  await client.sessions.create({ id: "inn" });
  await client.floors.create({ id: "f1", session_id: "inn" });
  await client.pages.create({ id: "p1", floor_id: "f1", page_kind: "output" });
  await client.variables.putMany({ items: [{ scope: "chat", scope_id: "inn", key: "mood", value: "calm" }, { scope: "global", scope_id: "global", key: "mood", value: "none" }] });
  await client.floors.generate("f1");
  await client.pages.stageWrite("p1", { key: "mood", op: "set", value: "steady" });
  assert.equal((await client.variables.getPageStagedWrites("p1")).items[0].status, "staged");
  await client.floors.commit("f1");
  assert.equal((await client.variables.getPagePromotions("p1")).items[0].value, "steady");
  const rows = flattenVariableSnapshot(await client.variables.resolveContext({ session_id: "inn", page_id: "p1", include_layers: true }));
  assert.deepEqual(rows.filter((row) => row.key === "mood").map((row) => [row.scope, row.value, row.winner]), [
    ["page", "steady", true],
    ["floor", "steady", false],
    ["chat", "calm", false],
    ["global", "none", false],
  ]);
  const { data } = await client.variables.list({ scope: "chat", scope_id: "inn" });
  assert.equal(data.length, 1);
  const some = await client.variables.resolveContext({ session_id: "inn", keys: ["mood", "no,such"] });
  assert.deepEqual(some.resolved.map((row) => row.key), ["mood"]);
});

test("branches have free names, and what is deleted can be restored", async () => {
  await client.sessions.create({ id: "forks", template: { n: 0 } });
  const turn = await client.sessions.createTurn("forks", { role: "assistant", content: '@.ADD("n", 1);' });
  await client.pages.fork(turn.page_id, { branch_id: "what if / 如果?" });
  const { data } = await client.branches.list("forks");
  assert.deepEqual(data.map((branch) => branch.branch_id).sort(), ["main", "what if / 如果?"]);
  await client.branches.delete("what if / 如果?", { session_id: "forks" });
  const deleted = await client.floors.delete(turn.floor_id);
  const { trashId } = sdk.responseInfo(deleted);
  assert.equal((await client.trash.get(trashId)).page_count, 1);
  await client.trash.restore(trashId);
  assert.equal((await client.floors.get(turn.floor_id)).floor_no, turn.floor_no);
});

test("errors are classes with code, message and details", async () => {
  await assert.rejects(client.sessions.get("nobody"), (error) => {
    assert.ok(error instanceof sdk.NotFoundError && error instanceof sdk.ApiError);
    assert.equal(error.code, "session_not_found");
    assert.equal(error.status, 404);
    assert.ok(sdk.hasCode(error, "session_not_found"));
    return true;
  });
  await assert.rejects(client.sessions.create({ titel: "x" }), (error) => error instanceof sdk.ValidationError && Array.isArray(error.details));
  await client.sessions.create({ id: "cond", template: { a: 1 } });
  const turn = await client.sessions.createTurn("cond", { role: "assistant", content: "x" });
  const snapshot = await client.snapshots.get(turn.snapshot_id);
  const { etag } = sdk.responseInfo(snapshot);
  await client.snapshots.put(turn.snapshot_id, { state: { a: 2 } }, {}, { ifMatch: etag });
  await assert.rejects(client.snapshots.put(turn.snapshot_id, { state: { a: 3 } }, {}, { ifMatch: etag }), sdk.PreconditionFailedError);
});

test("a write whose answer is lost happens once", async () => {
  await client.variables.put({ scope: "global", scope_id: "global", key: "count", value: 0 });
  let lost = 0;
  const careless = async (request, init) => {
    const response = await fetch(request, init);
    if (lost++ < 2) {
      await response.text();
      throw new TypeError("the connection broke");
    }
    return response;
  };
  const unlucky = new sdk.TavernkeepClient({ baseUrl: server.url, fetch: careless, retryDelayMs: 1 });
  const increment = { scope: "global", scope_id: "global", key: "count", by: 1 };
  const variable = await unlucky.variables.increment(increment);
  assert.equal(variable.value, 1);
  assert.equal(sdk.responseInfo(variable).replayed, true);
  assert.equal(lost, 3);
  assert.equal((await client.variables.get(variable.id)).value, 1);

  const never = new sdk.TavernkeepClient({ baseUrl: server.url, retries: 1, retryDelayMs: 1, fetch: async () => { throw new TypeError("no route"); } });
  await assert.rejects(never.health(), sdk.ConnectionError);
});

test("a busy server is asked again, a refusal is not", async () => {
  let calls = 0;
  const answers = (status) => new sdk.TavernkeepClient({
    baseUrl: server.url,
    retryDelayMs: 1,
    fetch: async (request, init) => (calls++ === 0 ? new Response("<html>", { status }) : fetch(request, init)),
  });
  assert.equal((await answers(503).health()).status, "ok");
  assert.equal(calls, 2);
  calls = 0;
  await assert.rejects(answers(403).health(), (error) => error instanceof sdk.ForbiddenError && error.code === "http_error");
  assert.equal(calls, 1);
});

test("an aborted call ends with the reason", async () => {
  const controller = new AbortController();
  controller.abort(new Error("enough"));
  await assert.rejects(client.sessions.list({}, { signal: controller.signal }), /enough|aborted/);
});

test("lists are walked to their end", async () => {
  await client.variables.putMany({ items: Array.from({ length: 25 }, (_, n) => ({ scope: "chat", scope_id: "tale", key: `k${n}`, value: n })) });
  const keys = [];
  for await (const variable of sdk.paginate((window) => client.variables.list({ scope: "chat", scope_id: "tale", sort_by: "key", sort_order: "asc", ...window }), 10)) keys.push(variable.key);
  assert.equal(keys.length, 25);
});

test("processing reports, and a job is waited for", async () => {
  const report = await client.sessions.process("tale", { mode: "all" });
  assert.equal("processed" in report, true);
  assert.deepEqual((await client.jobs.list()).data, []);
});

test("keys close the server, and a client with a key may enter", async () => {
  const own = await startServer();
  try {
    const open = new sdk.TavernkeepClient({ baseUrl: own.url });
    const { secret } = await open.keys.create({ name: "me", role: "admin" });
    await assert.rejects(open.sessions.list(), sdk.AuthError);
    const keyed = new sdk.TavernkeepClient({ baseUrl: own.url, key: secret });
    assert.equal((await keyed.account.get()).role, "admin");
  } finally {
    await own.close();
  }
});
