import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { TavernkeepClient } from "@tavernkeep/sdk";
import { startServer } from "./server.mjs";

let server;
let client;
before(async () => {
  server = await startServer();
  client = new TavernkeepClient({ baseUrl: server.url, retryDelayMs: 20 });
});
after(() => server.close());

const set = (key, value) => client.variables.put({ scope: "global", scope_id: "global", key, value });

test("a stream begins with ready and shows what happens", async () => {
  for await (const event of client.events({ types: ["variable.set"] })) {
    if (event.type === "ready") await set("seen", 9007199254740993n);
    else {
      assert.equal(event.data.entry.value, 9007199254740993n);
      break;
    }
  }
});

test("a stream continues where it broke, across a restart of the server", async () => {
  const seen = [];
  const connections = [];
  const control = new AbortController();
  const options = { signal: control.signal, retryDelayMs: 10, onConnection: (open) => connections.push(open) };
  for await (const event of client.events({ types: ["variable.set"] }, options)) {
    if (event.type === "ready" && seen.length === 0) await set("n", 1);
    if (event.type !== "variable.set") continue;
    seen.push(event.data.entry.value);
    if (seen.length === 1) {
      await server.stop();
      await server.start();
      await set("n", 2);
      await set("n", 3);
    }
    if (seen.length === 3) control.abort();
  }
  assert.deepEqual(seen, [1, 2, 3]);
  assert.ok(connections.filter((open) => open).length >= 2);
});

test("an early end of the stream is no gap: lastEventId continues after it", async () => {
  let position;
  for await (const event of client.events({ types: ["variable.set"] })) {
    position = event.id;
    break;
  }
  await set("later", 1);
  for await (const event of client.events({ types: ["variable.set"] }, { lastEventId: position })) {
    if (event.type === "ready") continue;
    assert.equal(event.data.entry.key, "later");
    break;
  }
});

test("a position that was purged starts over", async () => {
  const asked = [];
  const gone = new TavernkeepClient({
    baseUrl: server.url,
    fetch: async (url, init) => {
      const position = new Headers(init.headers).get("last-event-id");
      asked.push(position);
      if (position !== "1-1") return fetch(url, init);
      return Response.json({ error: { code: "events_purged", message: "purged" } }, { status: 410 });
    },
  });
  const types = [];
  for await (const event of gone.events({}, { lastEventId: "1-1" })) {
    types.push(event.type);
    if (event.type === "ready") break;
  }
  assert.deepEqual(types, ["purged", "ready"]);
  assert.deepEqual(asked, ["1-1", null]);
});

test("a refusal ends the stream with its error", async () => {
  await assert.rejects(client.events({ session_id: "nobody" }).next(), { code: "session_not_found" });
});

test("the stream of a session ends with the session", async () => {
  await client.sessions.create({ id: "short" });
  const types = [];
  for await (const event of client.events({ session_id: "short" })) {
    types.push(event.type);
    if (event.type === "ready") await client.sessions.delete("short");
  }
  assert.equal(types.at(-1), "session.deleted");
});

test("a silent connection is given up and opened again", async () => {
  let connections = 0;
  const silent = new TavernkeepClient({
    baseUrl: server.url,
    fetch: async (url, init) => {
      connections += 1;
      if (connections > 1) return fetch(url, init);
      const body = new ReadableStream({ start: (controller) => init.signal.addEventListener("abort", () => controller.error(init.signal.reason)) });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    },
  });
  for await (const event of silent.events({}, { silenceMs: 20, retryDelayMs: 1 })) {
    if (event.type === "ready") break;
  }
  assert.ok(connections >= 2);
});
