// Functions over the SDK against a real server.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as sdk from "@tavernkeep/sdk";
import { startServer } from "./server.mjs";

let server;
let client;
before(async () => {
  server = await startServer();
  client = new sdk.TavernkeepClient({ baseUrl: server.url });
  await client.characters.create({ id: "noor", name: "Noor", template: { gold: 7 } });
});
after(() => server.close());

const character = { scope: "character", character_id: "noor" };
const own = async (query = {}) => (await client.functions.list({ limit: 100, ...query })).data.filter((one) => !/^(builtin|starter):/.test(one.id));

test("a function is created, read, changed under its ETag and runs in a turn", async () => {
  const made = await client.functions.create({ name: "DOUBLE", type: "active", enabled: true, executor: "snapshot.gold *= 2;" });
  const read = await client.functions.get(made.id);
  assert.equal(read.name, "DOUBLE");
  await client.sessions.create({ id: "s", template: { gold: 7 } });
  await client.sessions.createTurn("s", { role: "assistant", content: "@.DOUBLE();" });
  assert.equal((await client.sessions.getState("s")).state.gold, 14);

  const { etag } = sdk.responseInfo(read);
  const changed = await client.functions.update(made.id, { description: "twice as much" }, {}, { ifMatch: etag });
  assert.equal(changed.description, "twice as much");
  await assert.rejects(client.functions.update(made.id, { description: "late" }, {}, { ifMatch: etag }), sdk.PreconditionFailedError);
  assert.match(JSON.stringify(await client.functions.getPrompt()), /DOUBLE/);
  await client.functions.delete(made.id);
  await assert.rejects(client.functions.get(made.id), sdk.NotFoundError);
});

test("built-in functions are switched for a character alone", async () => {
  await client.functions.update("builtin:UNSET", { enabled: false }, character);
  assert.equal((await client.functions.get("builtin:UNSET", character)).enabled, false);
  assert.equal((await client.functions.get("builtin:UNSET")).enabled, true);
});

test("functions are copied, moved, sorted, exported and imported", async () => {
  const first = await client.functions.create({ name: "first", type: "passive", timing: "after_active", executor: "snapshot.a = 1;" });
  const copy = await client.functions.copy(first.id, { ...character, name: "copied" });
  assert.equal(copy.enabled, false);
  const moved = await client.functions.move(first.id, character);
  assert.deepEqual((await own(character)).map((one) => one.name).sort(), ["copied", "first"]);
  assert.deepEqual(await own(), []);
  await client.functions.reorder({ ids: [moved.id, copy.id] }, character);
  assert.deepEqual((await own(character)).map((one) => one.name), ["first", "copied"]);
  const file = await client.functions.export({ ids: [copy.id] }, character);
  assert.deepEqual(file.functions.map((one) => one.name), ["copied"]);
  await client.functions.import(file);
  assert.deepEqual((await own()).map((one) => [one.name, one.enabled]), [["copied", false]]);
});

test("functions are tried out without storing anything", async () => {
  const tried = await client.functions.test({
    text: "@.HALVE(2);",
    state: { gold: 9007199254740993n, n: 8 },
    functions: [{ name: "HALVE", type: "active", enabled: true, executor: "snapshot.n /= args[0];" }],
  });
  assert.match(sdk.stringifyJson(tried), /"n":4/);
  assert.match(sdk.stringifyJson(tried), /9007199254740993/);
  assert.equal((await own()).some((one) => one.name === "HALVE"), false);
});
