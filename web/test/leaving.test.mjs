// Pages that are left before the server has answered: the rest of their work is about the old place or is dropped.
import assert from "node:assert/strict";
import { test } from "node:test";
import { hold, seed, seedFunctions, withPage } from "./browser.mjs";

const BRANCH = "what if 如果";
const AT = `branch=${encodeURIComponent(BRANCH)}`;
const { deepEqual, equal, ok } = assert;
const at = withPage({
  fill: async (client) => {
    await seed(client);
    await seedFunctions(client);
    await client.sessions.update("tale", { profile: "memory" });
    await client.sessions.create({ id: "other", title: "Another tale", template: { silver: 7 } });
    await client.sessions.createTurn("other", { role: "assistant", content: "The mill stands still." });
    await client.variables.put({ scope: "chat", scope_id: "other", key: "weather", value: "hail" });
  },
});

/** Collects what the page asks from now on: addresses and bodies in plain text. */
function asked(page) {
  const all = [];
  page.on("request", (request) => all.push(`${request.method()} ${decodeURIComponent(request.url()).replaceAll("+", " ")} ${request.postData() ?? ""}`));
  return all;
}

/** What only the first session has: its branch and its pages. */
async function marksOfTale(client) {
  const floors = await Promise.all(["main", BRANCH].map((branch_id) => client.sessions.getTranscript("tale", { branch_id })));
  return [BRANCH, ...floors.flatMap(({ data }) => data.flatMap(({ floor_id, page_id }) => [floor_id, page_id]))];
}

const TABS = [
  { tab: "variables", held: "**/sessions/tale/transcript*", shown: (page) => page.getByRole("row", { name: /weather/ }) },
  { tab: "history", query: "&floor=1&path=角色.金币", held: "**/sessions/tale/transcript*", shown: (page) => page.getByRole("button", { name: "silver" }) },
  { tab: "memory", held: "**/sessions/tale/branches*", shown: (page) => page.getByText("This session does not use the memory rules") },
  { tab: "snapshots", held: "**/sessions/tale/snapshots*", shown: (page) => page.getByText("silver", { exact: true }) },
  { tab: "prompt", query: "&from=page&floor=1", held: "**/sessions/tale/transcript*", shown: (page) => page.getByText("A preview writes nothing.") },
  { tab: "tools", held: "**/sessions/tale/tools/groups", shown: (page) => page.getByRole("button", { name: "Rules for the prompt" }) },
  { tab: "settings", held: "**/sessions/tale/template", shown: (page) => page.getByText("silver", { exact: true }) },
];

for (const { tab, query = "", held: pattern, shown } of TABS) {
  test(`${tab}: a session that is left is not mixed with the next one`, async () => {
    const page = await at.again();
    const marks = await marksOfTale(at.client);
    if (tab === "prompt") {
      await page.to("s/tale/prompt");
      await page.getByRole("textbox", { name: "Text", exact: true }).fill("{{getvar::mood}}");
      await page.settled(400);
    }
    const requests = asked(page);
    const held = await hold(page, pattern);
    await page.to(`s/tale/${tab}?${AT}${query}`);
    await held.isAsked;
    await page.to(`s/other/${tab}`);
    await shown(page).first().waitFor();
    await held.release();
    await page.settled(400);
    deepEqual(requests.filter((request) => request.includes("other") && marks.some((mark) => request.includes(mark))), []);
    await shown(page).first().waitFor();
    equal(await page.getByRole("heading", { level: 1, name: "Another tale" }).count(), 1);
    equal(await page.locator(".toast").count(), 0);
    await page.finish();
  });
}

test("a swipe counts on the branch where it was asked for", async () => {
  const { page, card } = at;
  await page.to("s/tale");
  const held = await hold(page, "**/pages?*");
  await card(2).getByRole("button", { name: "Previous swipe" }).click();
  await held.isAsked;
  const activated = page.waitForRequest("**/activate*");
  await page.to(`s/tale?${AT}`);
  await card(3).getByText("You take the road at once.").waitFor();
  await held.release();
  const request = await activated;
  ok(`${request.url()} ${request.postData()}`.includes("main"), `${request.url()} ${request.postData()}`);
  await page.settled();
});

test("a message that is sent leaves the draft of another branch alone", async () => {
  const { page, client } = at;
  const field = page.getByRole("textbox", { name: "Write a message" });
  await page.to("s/tale");
  await field.fill("I sleep.");
  const held = await hold(page, "**/sessions/tale/turns", "POST");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await held.isAsked;
  await page.to(`s/tale?${AT}&floor=1`);
  await field.fill("I run.");
  await held.release();
  await page.settled();
  equal(await field.inputValue(), "I run.");
  ok(page.url().includes("floor=1"));
  equal((await client.sessions.getTranscript("tale", { last: 1 })).data[0].content, "I sleep.");
  await field.fill("");
  await page.to("s/tale");
  await page.waitForFunction(() => document.querySelector(".composer textarea")?.value === "");
});

test("the history of a variable may be closed before it is read", async () => {
  const { page, client } = at;
  for (let day = 0; day <= 100; day += 1) await client.variables.put({ scope: "chat", scope_id: "other", key: "day", value: day });
  await page.to("s/other/variables");
  const held = await hold(page, "**/variables/*/history*");
  await page.getByRole("button", { name: "History of day (Chat)" }).click();
  await held.isAsked;
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await held.release();
  await page.settled();
  equal(await page.locator(".toast.error").count(), 0);
});

test("a new function that is saved replaces none that is opened meanwhile", async () => {
  const { page, client } = at;
  const before = await client.functions.get("heal");
  await page.to("functions?new=1");
  await page.getByLabel("Name", { exact: true }).fill("WOUND");
  const held = await hold(page, "**/functions/test", "POST");
  await page.getByRole("button", { name: "Save" }).click();
  await held.isAsked;
  await page.to("functions/heal");
  await page.getByRole("heading", { name: "HEAL" }).waitFor();
  await held.release();
  await page.getByText("Saved", { exact: true }).waitFor();
  await page.settled();
  deepEqual(await client.functions.get("heal"), before);
  equal((await client.functions.list({ limit: 100 })).data.filter(({ name }) => name === "WOUND").length, 1);
  await page.getByRole("heading", { name: "HEAL" }).waitFor();
});

test("files go into the library that was open when they were chosen", async () => {
  const { page, client } = at;
  const file = (name) => ({ name: `${name}.json`, mimeType: "application/json", buffer: Buffer.from(JSON.stringify({ version: "1.0", functions: [{ name, type: "passive", timing: "after_active", executor: "" }] })) });
  await page.to("functions?character=hana");
  await page.getByText("KISS").first().waitFor();
  const held = await hold(page, "**/functions/import*", "POST");
  await page.getByLabel("File of functions").setInputFiles([file("first"), file("second")]);
  await held.isAsked;
  await page.to("functions");
  await page.getByText("HEAL").first().waitFor();
  await held.release();
  await page.settled(400);
  const names = async (query) => (await client.functions.list({ ...query, limit: 100 })).data.map(({ name }) => name).filter((name) => name === "first" || name === "second");
  deepEqual(await names({ scope: "character", character_id: "hana" }), ["first", "second"]);
  deepEqual(await names({}), []);
});

test("a dry run of one branch allows no rebuild of another", async () => {
  const { page } = at;
  await page.to("s/tale/memory/rebuild");
  const held = await hold(page, "**/sessions/tale/process", "POST");
  await page.getByRole("button", { name: "See what would differ" }).click();
  await held.isAsked;
  await page.to(`s/tale/memory/rebuild?${AT}`);
  await page.waitForFunction((branch) => [...document.querySelectorAll("main select")].some((select) => select.value === branch), BRANCH);
  await held.release();
  await page.settled();
  ok(await page.getByRole("button", { name: "Rebuild now" }).isDisabled());
  equal(await page.getByRole("region", { name: "Report" }).count(), 0);
});
