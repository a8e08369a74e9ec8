// Tools, approvals and the scratchpad over the SDK against a real server.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as sdk from "@tavernkeep/sdk";
import { startServer } from "./server.mjs";

let server;
let client;
before(async () => {
  server = await startServer();
  client = new sdk.TavernkeepClient({ baseUrl: server.url });
  await client.sessions.create({ id: "agent" });
});
after(() => server.close());

test("groups and tools are switched, and definitions and rules follow", async () => {
  assert.deepEqual(await client.tools.listDefinitions("agent"), []);
  const group = await client.tools.updateGroup("agent", "vars", { enabled: true });
  assert.equal(group.enabled, true);
  const tool = await client.tools.update("agent", "RemoveVars", { enabled: false, permission: { executionPolicy: "ask-always" } });
  assert.deepEqual([tool.enabled, tool.permission.executionPolicy], [false, "ask-always"]);
  const names = (await client.tools.listDefinitions("agent")).map((one) => one.function.name);
  assert.ok(names.includes("WriteVar") && !names.includes("RemoveVars"), names.join());
  assert.equal(typeof (await client.tools.getRules("agent")), "string");
  assert.equal((await client.tools.listGroups("agent"))[0].name, "vars");
});

test("defaults of the account are what a session begins with", async () => {
  const defaults = { groups: { basic: true }, tools: { random: false }, permissions: { calculate: { executionPolicy: "ask-once" } } };
  await client.tools.putDefaults(defaults);
  assert.deepEqual(await client.tools.getDefaults(), defaults);
  await client.sessions.create({ id: "later" });
  const basic = (await client.tools.listGroups("later")).find((group) => group.name === "basic");
  assert.deepEqual([basic.enabled, basic.tools.find((tool) => tool.name === "random").enabled], [true, false]);
  await client.tools.putDefaults({});
});

test("a call is made, kept in the journal and refers to the scratchpad", async () => {
  await client.scratchpad.put("agent", "plan/计划", { value: "first look, then leap", tags: ["todo"], keep: true });
  const call = await client.tools.call("agent", { tool: "WriteVar", args: { name: "copy", value: "$VAR_REF{{plan/计划:0:5}}!" } });
  assert.equal(call.status, "success");
  assert.equal((await client.scratchpad.get("agent", "copy")).value, "first!");
  const stored = await client.tools.getCall(call.id);
  assert.deepEqual(stored.args, { name: "copy", value: "first!" });
  const missing = await client.tools.call("agent", { tool: "Nothing", args: {} });
  const { data, meta } = await client.tools.listCalls("agent", { status: "not_found", tool: "Nothing" });
  assert.deepEqual([data.map((one) => one.id), meta.total], [[missing.id], 1]);
});

test("the scratchpad is listed, filtered, changed, filled with a page and emptied", async () => {
  const turn = await client.sessions.createTurn("agent", { role: "assistant", content: "A long message." });
  const message = await client.scratchpad.cacheMessage("agent", { page_id: turn.page_id });
  assert.equal((await client.scratchpad.get("agent", message.name)).value, "A long message.");
  assert.deepEqual((await client.scratchpad.list("agent", { tag: "todo" })).data.map((one) => one.name), ["plan/计划"]);
  assert.deepEqual((await client.scratchpad.list("agent", { type: "MessageCache" })).data.map((one) => one.name), [message.name]);
  assert.deepEqual((await client.scratchpad.list("agent", { search: "计划" })).data.map((one) => one.name), ["plan/计划"]);
  const kept = await client.scratchpad.put("agent", "plan/计划", { desc: "what comes next" });
  assert.deepEqual([kept.value, kept.desc, kept.keep], ["first look, then leap", "what comes next", true]);
  assert.equal((await client.scratchpad.delete("agent", "plan/计划")).deleted, true);
  await assert.rejects(client.scratchpad.get("agent", "plan/计划"), sdk.NotFoundError);
});

test("a person approves, edits or rejects; the event stream says that one is asked", async () => {
  await client.tools.update("agent", "WriteVar", { permission: { executionPolicy: "ask-always" } });
  const control = new AbortController();
  const stream = client.events({ session_id: "agent", types: ["approval.requested", "approval.decided"] }, { signal: control.signal });
  assert.equal((await stream.next()).value.type, "ready");
  const call = await client.tools.call("agent", { tool: "WriteVar", args: { name: "n", value: "as asked" } });
  assert.equal(call.status, "awaiting_approval");
  const asked = (await stream.next()).value;
  assert.equal(asked.type, "approval.requested");
  const [pending] = (await client.tools.listApprovals("agent")).data;
  assert.deepEqual([pending.id, pending.call_id, pending.type], [asked.data.id, call.id, "execution"]);
  assert.deepEqual((await client.tools.listAllApprovals()).data, [pending]);
  const decided = await client.tools.decideApproval(pending.id, { approved: true, scope: "once", args: { name: "n", value: "as edited" } });
  assert.deepEqual([decided.status, decided.args.value, decided.asked_args.value], ["success", "as edited", "as asked"]);
  assert.equal((await stream.next()).value.type, "approval.decided");
  control.abort();

  const second = await client.tools.call("agent", { tool: "WriteVar", args: { name: "n", value: "no" } });
  const [again] = (await client.tools.listApprovals("agent")).data;
  await client.tools.decideApproval(again.id, { approved: false, reason: "not today" });
  const rejected = await client.tools.getCall(second.id);
  assert.deepEqual([rejected.status, rejected.reject_reason], ["execution_rejected", "not today"]);
  await assert.rejects(client.tools.decideApproval(again.id, { approved: true }), sdk.ConflictError);
});

test("an application runs its own tools, or the call is given up", async () => {
  const definition = { type: "function", function: { name: "Forecast", description: "Tells the weather.", parameters: { type: "object", properties: { place: { type: "string" } } } } };
  await client.tools.registerGroup("agent", { name: "weather", tools: [{ definition }] });
  await client.tools.updateGroup("agent", "weather", { enabled: true });
  const forecast = () => client.tools.call("agent", { tool: "Forecast", args: { place: "雾镇" }, skip_execution_approval: true });
  const call = await forecast();
  assert.equal(call.status, "awaiting_client");
  const returned = await client.tools.returnCall(call.id, { status: "success", data: { fog: true, id: 9007199254740993n } });
  assert.deepEqual([returned.status, returned.data.id], ["success", 9007199254740993n]);
  assert.equal((await client.tools.cancelCall((await forecast()).id)).status, "cancelled");
});
