// Jobs over the SDK against a real server: waited for, followed, given up.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as sdk from "@tavernkeep/sdk";
import { startServer } from "./server.mjs";

let server;
let client;
before(async () => {
  server = await startServer();
  client = new sdk.TavernkeepClient({ baseUrl: server.url });
  // A function that never ends is stopped after 100 ms of each turn, so twelve turns do not fit into the second of a request.
  await client.characters.create({ id: "slow", name: "Slow", template: { n: 0 }, functions: [{ name: "forever", type: "passive", timing: "after_active", enabled: true, executor: "for (;;);" }] });
  for (const id of ["waited", "cancelled"]) {
    await client.sessions.create({ id, template: { n: 0 } });
    await client.sessions.sync(id, { floors: Array.from({ length: 12 }, () => ({ role: "assistant", swipes: [{ content: '@.ADD("n", 1);' }] })) });
    await client.sessions.update(id, { character_id: "slow" });
  }
});
after(() => server.close());

test("a job is waited for, with its progress and its report", async () => {
  const started = await client.sessions.process("waited", { mode: "all" });
  assert.equal(started.kind, "process_session");
  const seen = [];
  const ended = await client.waitForJob(started.id, { everyMs: 20, onProgress: (job) => seen.push(job.done) });
  assert.deepEqual([ended.state, ended.report.processed], ["done", 12]);
  assert.deepEqual(seen, [...seen].sort((left, right) => left - right));
  assert.equal(seen.at(-1), ended.done);
  assert.equal((await client.sessions.getState("waited")).state.n, 12);
  assert.ok((await client.jobs.list()).data.some((job) => job.id === started.id));
});

test("waiting ends with a signal, and the job when it is cancelled", async () => {
  const started = await client.sessions.process("cancelled", { mode: "all" });
  const control = new AbortController();
  const waiting = client.waitForJob(started.id, { everyMs: 10, signal: control.signal, onProgress: () => control.abort(new Error("enough")) });
  await assert.rejects(waiting, /enough|aborted/);
  await client.jobs.cancel(started.id);
  assert.equal((await client.waitForJob(started.id, { everyMs: 10 })).state, "cancelled");
});

test("a job that does not exist is an error", async () => {
  await assert.rejects(client.waitForJob("00000000-0000-0000-0000-000000000000"), sdk.NotFoundError);
});
