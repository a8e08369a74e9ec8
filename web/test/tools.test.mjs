// Tools, scratchpad, journal and approvals as a person uses them.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { accessible, eventually, hold, newPage, open, until } from "./browser.mjs";
import { ask, seedTools } from "./seed-tabs.mjs";

const { equal, match, ok, deepEqual } = assert;
const EVIL = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script> مرحبا {{7*7}}`;
let place;
let page;
let client;
before(async () => {
  place = await open();
  client = place.client;
  await seedTools(client);
  page = await newPage(place.browser, place.server.url);
});
after(() => place?.close());
// What a test that failed leaves undecided would fail those behind it, and hide why.
afterEach(async ({ passed }) => {
  if (!passed) for (const left of (await client.tools.listAllApprovals()).data) await client.tools.decideApproval(left.id, { approved: false });
});

const tool = async (name) => (await client.tools.listGroups("agent")).flatMap((group) => group.tools).find((one) => one.name === name);
const approval = () => page.getByRole("article", { name: "WriteVar" });

test("groups and tools: switched, with permissions and deny rules, and shown as a model reads them", async () => {
  await page.to("s/agent/tools");
  const vars = page.getByRole("region", { name: "vars" });
  await vars.getByText("4 of 4 on").waitFor();
  await vars.getByText("1 deny rule").waitFor();
  await page.getByRole("region", { name: "weather" }).getByText("your application").waitFor();
  await accessible(page, "tools");

  await page.getByRole("switch", { name: "Tool ListVars" }).click();
  await vars.getByText("3 of 4 on").waitFor();
  equal((await tool("ListVars")).enabled, false);
  await page.getByRole("switch", { name: "Group state" }).click();
  await page.getByRole("region", { name: "state" }).getByText("off", { exact: true }).waitFor();

  await page.getByRole("button", { name: "Permissions of calculate" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Before it runs").selectOption("ask-once");
  await dialog.getByLabel("Before the model sees the result").selectOption("on-error");
  await dialog.getByRole("button", { name: "Add a rule" }).click();
  await dialog.getByLabel("Argument, as a JSON pointer").fill("/expression");
  await dialog.getByLabel("Pattern").fill("*/ 0*");
  await dialog.getByLabel("Decisions end after minutes").fill("1.5");
  await accessible(page, "permissions");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByRole("region", { name: "basic" }).getByText("errors checked").waitFor();
  deepEqual((await tool("calculate")).permission, { executionPolicy: "ask-once", resultApprovalPolicy: "on-error", deny: [{ argument: "/expression", matches: "*/ 0*" }], expiresMs: 90_000 });

  // A change elsewhere appears by itself.
  await client.tools.updateGroup("agent", "state", { enabled: true });
  await page.getByRole("region", { name: "state" }).getByText("3 of 3 on").waitFor();

  await page.getByRole("button", { name: "Rules for the prompt" }).click();
  await page.getByRole("dialog").getByText("Ask for one place at a time.").waitFor();
  await page.keyboard.press("Escape");
});

test("an approval appears at once where one is, edited and approved", async () => {
  await page.to("settings");
  await page.getByRole("heading", { name: "Settings" }).waitFor();
  const call = await ask(client, "agent");
  equal(call.status, "awaiting_approval");
  await page.getByText("WriteVar asks for approval in “agent”").waitFor();
  await page.getByRole("link", { name: /Approvals/ }).getByText("1").waitFor();
  await accessible(page, "a message about an approval");
  await page.getByRole("button", { name: "Decide" }).click();
  await page.waitForURL(/#\/s\/agent\/tools/);
  await approval().getByText("the vault opens at noon").waitFor();
  await page.getByRole("link", { name: "Tools 1" }).waitFor();
  await accessible(page, "an approval");

  await approval().getByRole("button", { name: "Edit" }).click();
  const args = approval().getByLabel("Arguments as JSON");
  await args.fill('["no object"]');
  await approval().getByRole("button", { name: "Approve with these arguments" }).click();
  await approval().getByText("The arguments must be a JSON object").waitFor();
  await args.fill('{"name": "secret", "value": "the vault opens at 9007199254740993"}');
  await approval().getByRole("button", { name: "Approve with these arguments" }).click();
  await approval().waitFor({ state: "detached" });
  await page.getByText("WriteVar was approved").waitFor();
  equal((await client.scratchpad.get("agent", "secret")).value, "the vault opens at 9007199254740993");
  equal((await client.tools.getCall(call.id)).status, "success");
  await page.getByRole("link", { name: /Approvals/ }).waitFor({ state: "detached" });
});

test("an approval is rejected with a reason, or approved for the session", async () => {
  await page.to("s/agent/tools");
  await page.getByRole("region", { name: "vars" }).waitFor();
  const refused = await ask(client, "agent", { name: "no", value: EVIL });
  await approval().getByText("<script>").waitFor();
  await approval().getByRole("button", { name: "Reject…" }).click();
  await approval().getByLabel("Reason, shown to the model (optional)").fill("not in this house");
  await approval().getByRole("button", { name: "Reject", exact: true }).click();
  await approval().waitFor({ state: "detached" });
  const stored = await client.tools.getCall(refused.id);
  deepEqual([stored.status, stored.reject_reason], ["execution_rejected", "not in this house"]);

  await client.tools.update("agent", "WriteVar", { permission: { executionPolicy: "ask-once" } });
  const args = { name: "again", value: "x" };
  await client.tools.call("agent", { tool: "WriteVar", args });
  await approval().getByLabel("How long the decision counts").selectOption("session");
  await approval().getByRole("button", { name: "Approve" }).click();
  await approval().waitFor({ state: "detached" });
  equal((await client.tools.call("agent", { tool: "WriteVar", args })).status === "awaiting_approval", false);
});

test("a result is seen by the person first, and what is decided elsewhere goes away", async () => {
  await client.tools.update("agent", "get_state", { permission: { resultApprovalPolicy: "always" } });
  await page.to("approvals");
  await page.getByText("Nothing waits for a decision").waitFor();
  const call = await client.tools.call("agent", { tool: "get_state", args: {} });
  const card = page.getByRole("article", { name: "get_state" });
  await card.getByText("has a result to check").waitFor();
  await card.getByText('"gold": 505').waitFor();
  await accessible(page, "approvals of all sessions");
  const [pending] = (await client.tools.listApprovals("agent")).data;
  await client.tools.decideApproval(pending.id, { approved: false, reason: "no" });
  await page.getByText("get_state was decided elsewhere").waitFor();
  await card.waitFor({ state: "detached" });
  equal((await client.tools.getCall(call.id)).status, "result_rejected");
});

test("what was asked before the page was opened is found, in every session", async () => {
  await ask(client, "agent");
  await client.sessions.create({ id: "other", title: "Another agent" });
  await client.tools.updateGroup("other", "vars", { enabled: true });
  await ask(client, "other", { name: "x", value: EVIL });
  const late = await newPage(place.browser, place.server.url, { language: "zh", theme: "dark" });
  await late.to("sessions");
  await late.getByRole("link", { name: /审批/ }).getByText("2").waitFor();
  await late.getByRole("link", { name: /审批/ }).click();
  await late.getByRole("link", { name: "other", exact: true }).waitFor();
  await eventually(async () => equal(await late.getByRole("article").count(), 2));
  equal(await late.evaluate(() => window.hacked), undefined);
  await accessible(late, "approvals, dark, Chinese");
  for (const _ of [0, 1]) {
    const count = await late.getByRole("article").count();
    await late.getByRole("button", { name: "批准", exact: true }).first().click();
    await late.waitForFunction((before) => document.querySelectorAll("article").length < before, count);
  }
  await late.getByText("没有等待审批的调用").waitFor();
  await late.finish();
});

test("until it is known whether something waits, no page says that nothing does; a failure says so and is tried again", async () => {
  const slow = await newPage(place.browser, place.server.url, { allow: [/status of 500/] });
  const held = await hold(slow, "**/approvals?*");
  await slow.to("approvals");
  await held.isAsked;
  await slow.getByText("Loading…").waitFor();
  equal(await slow.getByText("Nothing waits for a decision").count(), 0);
  await held.release();
  await slow.getByText("Nothing waits for a decision").waitFor();
  await slow.route("**/approvals?*", (route) => route.fulfill({ status: 500, contentType: "application/json", body: '{"error": {"code": "internal", "message": "the disk is gone"}}' }));
  await slow.reload();
  await slow.getByText("the disk is gone").waitFor();
  await accessible(slow, "approvals that cannot be read");
  await slow.unroute("**/approvals?*");
  await slow.getByRole("button", { name: "Try again" }).click();
  await slow.getByText("Nothing waits for a decision").waitFor();
  await slow.finish();
});

test("on a phone a message covers neither the bar, which is higher while something waits, nor the composer", async () => {
  const phone = await newPage(place.browser, place.server.url, { viewport: { width: 390, height: 844 }, hasTouch: true });
  await phone.to("s/agent");
  await phone.getByRole("button", { name: "Send" }).waitFor();
  await ask(client, "agent");
  const toast = phone.getByRole("log").getByText("WriteVar asks for approval");
  await toast.waitFor();
  await phone.getByRole("link", { name: /Approvals/ }).waitFor();
  const bottom = (await phone.locator(".toast").first().boundingBox()).y + (await phone.locator(".toast").first().boundingBox()).height;
  ok(bottom <= (await phone.locator(".composer").boundingBox()).y, `${bottom}`);
  await phone.getByRole("button", { name: "Decide" }).click();
  await phone.getByRole("article", { name: "WriteVar" }).getByRole("button", { name: "Approve" }).click();
  await phone.getByRole("article", { name: "WriteVar" }).waitFor({ state: "detached" });
  await phone.finish();
});

test("the scratchpad: searched, filtered by type and tag, written, changed, deleted with undo", async () => {
  await page.to("s/agent/tools/scratchpad");
  await page.getByRole("row", { name: /ledger/ }).waitFor();
  await accessible(page, "scratchpad");
  await page.getByLabel("Search names and descriptions").fill("things cost");
  await page.getByRole("row", { name: /plan/ }).waitFor({ state: "detached" });
  await page.getByRole("row", { name: /ledger/ }).waitFor();
  await page.getByLabel("Search names and descriptions").fill("");
  await page.getByLabel("Type").selectOption("LLMAdd");
  await page.getByRole("row", { name: /ledger/ }).waitFor({ state: "detached" });
  await page.getByRole("row", { name: /plan/ }).waitFor();
  match(page.url(), /type=LLMAdd/);
  await page.getByLabel("Type").selectOption("");
  await page.getByLabel("Tag").selectOption("shop");
  await page.getByRole("row", { name: /plan/ }).waitFor({ state: "detached" });
  await page.getByLabel("Tag").selectOption("");

  await page.getByRole("button", { name: "New variable" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("by/hand 手写");
  await dialog.getByLabel("Value").fill(EVIL);
  await dialog.getByLabel("Tags").fill("one, two");
  await dialog.getByLabel("Keep it when the scratchpad is full").check();
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByRole("row", { name: /手写/ }).waitFor();
  const made = await client.scratchpad.get("agent", "by/hand 手写");
  deepEqual([made.value, made.tags, made.keep, made.type], [EVIL, ["one", "two"], true, "USER_ADD"]);

  await page.getByRole("button", { name: "by/hand 手写" }).click();
  await eventually(async () => equal(await dialog.getByLabel("Value").inputValue(), EVIL));
  match(page.url(), /var=/);
  await accessible(page, "a variable of the scratchpad");
  await dialog.getByLabel("Value").fill("mine");
  await client.scratchpad.put("agent", "by/hand 手写", { value: "theirs" });
  await dialog.getByText("This was changed elsewhere while you were editing.").waitFor();
  equal(await dialog.getByLabel("Value").inputValue(), "mine");
  await dialog.getByRole("button", { name: "Show the new value" }).click();
  await page.waitForFunction(() => document.querySelector("dialog textarea").value === "theirs");
  await dialog.getByLabel("Value").fill("ours");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  equal((await client.scratchpad.get("agent", "by/hand 手写")).value, "ours");

  await page.getByRole("button", { name: "by/hand 手写" }).click();
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("row", { name: /手写/ }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo" }).last().click();
  await page.getByRole("row", { name: /手写/ }).waitFor();
  equal((await client.scratchpad.get("agent", "by/hand 手写")).value, "ours");

  await page.getByRole("button", { name: "Rule/Agent/TODO" }).click();
  await dialog.getByText("It can be read, not changed.").waitFor();
  await eventually(async () => ok(!(await dialog.getByRole("button", { name: "Delete" }).isVisible())));
  await page.keyboard.press("Escape");
});

test("the journal: filtered by status and tool, a call opened with arguments, result and status, cancelled", async () => {
  await page.to("s/agent/tools/journal");
  await page.getByRole("row", { name: /NoSuchTool/ }).waitFor();
  await accessible(page, "journal");
  await page.getByLabel("Status").selectOption("not_found");
  await page.getByRole("row", { name: /calculate/ }).first().waitFor({ state: "detached" });
  await page.getByRole("row", { name: /NoSuchTool/ }).waitFor();
  await page.getByLabel("Status").selectOption("");
  await page.getByLabel("Tool", { exact: true }).fill("calculate");
  await page.keyboard.press("Enter");
  await page.getByRole("row", { name: /NoSuchTool/ }).waitFor({ state: "detached" });
  match(page.url(), /tool=calculate/);
  await page.getByRole("button", { name: "calculate" }).last().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("12 * 7 + 1").waitFor();
  await dialog.getByText("success").waitFor();
  await eventually(async () => match(await dialog.locator("section pre").last().textContent(), /85/));
  await accessible(page, "a call");
  await page.keyboard.press("Escape");

  await page.to("s/agent/tools/journal");
  const waiting = await client.tools.call("agent", { tool: "Forecast", args: { place: EVIL }, skip_execution_approval: true });
  equal(waiting.status, "awaiting_client");
  const row = page.getByRole("row", { name: /Forecast/ });
  await row.getByText("waits for the application").waitFor();
  await row.getByRole("button", { name: "Forecast" }).click();
  await dialog.getByText("<script>").waitFor();
  await dialog.getByRole("button", { name: "Cancel the call" }).click();
  await dialog.getByText("cancelled", { exact: true }).waitFor();
  await page.keyboard.press("Escape");
  await row.getByText("cancelled").waitFor();
  equal(await page.evaluate(() => window.hacked), undefined);

  const [one] = (await client.tools.listCalls("agent", { tool: "get_state" })).data.filter((call) => call.status === "success");
  await page.to(`s/agent/tools/journal?call=${one.id}`);
  await dialog.getByText("Result on the scratchpad:").waitFor();
  await dialog.getByRole("link", { name: /_result$/ }).click();
  await page.waitForURL(/scratchpad\?var=/);
  await page.waitForFunction(() => document.querySelector("dialog textarea")?.value.includes('"gold": 505'));
});

test("defaults of the account: from a session, changed in the settings, taken over by a new session", async () => {
  await page.to("s/agent/tools");
  await page.getByRole("button", { name: "Use for new sessions" }).click();
  await page.getByText("Saved for sessions that have not used their tools yet").waitFor();
  equal((await client.tools.getDefaults()).groups.vars, true);
  await page.getByRole("button", { name: "Undo" }).last().click();
  await until(async () => !(await client.tools.getDefaults()).groups.vars);

  await client.tools.putDefaults({ groups: { "of my application": true }, tools: {}, permissions: {} });
  await page.to("settings/tools");
  await page.getByText("of my application").waitFor();
  await accessible(page, "defaults of tools");
  await page.getByRole("button", { name: "Remove of my application" }).click();
  await page.getByText("of my application").waitFor({ state: "detached" });
  await page.getByRole("switch", { name: "Group basic" }).click();
  await page.getByRole("region", { name: "basic" }).getByText("3 of 3 on").waitFor();
  await page.getByRole("switch", { name: "Tool random" }).click();
  await page.getByRole("region", { name: "basic" }).getByText("2 of 3 on").waitFor();
  await page.getByRole("button", { name: "Permissions of calculate" }).click();
  await page.getByRole("dialog").getByLabel("Before it runs").selectOption("ask-always");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.getByRole("region", { name: "basic" }).getByText("asks always").waitFor();
  deepEqual(await client.tools.getDefaults(), { groups: { basic: true }, tools: { random: false }, permissions: { calculate: { executionPolicy: "ask-always" } } });
  await client.sessions.create({ id: "fresh" });
  const basic = (await client.tools.listGroups("fresh")).find((group) => group.name === "basic");
  deepEqual([basic.enabled, basic.tools.map((one) => one.enabled), basic.tools[1].permission.executionPolicy], [true, [true, true, false], "ask-always"]);
});

test("every view shows its request; on a phone nothing scrolls sideways", async () => {
  const names = { "s/agent/tools": "/tools/groups", "s/agent/tools/scratchpad": "/scratchpad", "s/agent/tools/journal": "/calls", approvals: "/approvals", "settings/tools": "/tools/defaults" };
  const phone = await newPage(place.browser, place.server.url, { viewport: { width: 390, height: 844 }, hasTouch: true, language: "zh" });
  await ask(client, "agent", { name: "n".repeat(200), value: "非常长 VeryLongWithoutSpaces".repeat(20) });
  for (const [hash, path] of Object.entries(names)) {
    await page.to(hash);
    await page.getByTitle("This page as a request").last().click();
    await eventually(async () => ok((await page.locator("[popover]:popover-open pre").textContent()).includes(path), hash));
    await page.keyboard.press("Escape");
    await phone.to(hash);
    await phone.getByRole("link", { name: /审批/ }).waitFor();
    await phone.settled();
    ok(!(await phone.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth)), hash);
    await accessible(phone, `${hash} on a phone`);
  }
  await phone.finish();
});

test("the pages logged no errors", () => deepEqual(page.complaints, []));

// The first key closes the server, which pages that are open log.
test("a key that may only read sees everything and decides nothing", async () => {
  const admin = await client.keys.create({ name: "admin", role: "admin" });
  const key = { headers: { authorization: `Bearer ${admin.secret}`, "content-type": "application/json" } };
  const made = await fetch(`${place.server.url}/keys`, { method: "POST", ...key, body: JSON.stringify({ name: "reader", role: "read" }) }).then((answer) => answer.json());
  const reader = await newPage(place.browser, place.server.url, { allow: [/status of 401/] });
  await reader.to("s/agent/tools");
  await reader.getByLabel("Key").fill(made.data.secret);
  await reader.getByRole("button", { name: "Sign in" }).click();
  await reader.getByRole("article", { name: "WriteVar" }).waitFor();
  equal(await reader.getByRole("button", { name: "Approve" }).count(), 0);
  await eventually(async () => ok(await reader.getByRole("switch", { name: "Group vars" }).isDisabled()));
  await reader.finish();
});
