// Two people at one session, each with a browser: what one does the other sees, and nobody overwrites the other in silence. Tabs
// of one browser share a stream of events. The keyboard, and addresses that keep what is open.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { eventually, newPage, open, seed, seedFunctions, seedTale, type, until } from "./browser.mjs";

const { ok, equal, deepEqual } = assert;
let place;
let client;
let ann;
let ben;
// Saves that come second are refused, and a floor may be gone before its card has read it.
const allow = [/status of 412/, /status of 404/];
before(async () => {
  place = await open();
  client = place.client;
  await seed(client);
  await seedFunctions(client);
  ann = await newPage(place.browser, place.server.url, { allow });
  ben = await newPage(place.browser, place.server.url, { allow });
});
after(async () => {
  const complaints = [...(ann?.complaints ?? []), ...(ben?.complaints ?? [])];
  await place?.close();
  deepEqual(complaints, [], "the pages logged errors");
});
const floor = (page, no) => page.locator(`[data-floor="${no}"]`);
const both = async (hash) => Promise.all([ann.to(hash), ben.to(hash)]);

async function say(page, text) {
  await page.getByRole("combobox", { name: "Role" }).selectOption("assistant");
  await page.locator(".composer textarea").fill(text);
  await page.getByRole("button", { name: "Send" }).click();
}

test("one writes, the other sees it; one swipes, edits, deletes, and the other sees that too", async () => {
  await seedTale(client, "shared");
  await both("s/shared");
  await floor(ann, 4).waitFor();
  await floor(ben, 4).waitFor();
  await say(ann, 'Ann was here. @.ADD("角色.金币", 7);');
  await floor(ben, 5).getByText("Ann was here.").waitFor();
  await floor(ben, 5).getByText("(+7)").waitFor();
  await floor(ben, 5).locator("mark.applied").waitFor();
  await ben.getByRole("textbox", { name: "Write a message" }).fill("half a thought");
  await floor(ann, 2).getByRole("button", { name: "Previous swipe" }).click();
  await floor(ben, 2).getByText("swipe 1/2").waitFor();
  await floor(ann, 5).getByRole("button", { name: "Delete this floor" }).click();
  await floor(ben, 5).waitFor({ state: "detached" });
  equal(await ben.getByRole("textbox", { name: "Write a message" }).inputValue(), "half a thought");
});

test("both edit one state: the second is asked, and nothing is lost", async () => {
  await client.sessions.create({ id: "state", template: { gold: 1, mood: "calm" } });
  const turn = await client.sessions.createTurn("state", { role: "assistant", content: "Begin." });
  await both("s/state/snapshots");
  await type(ann, '{"gold": 10, "mood": "calm"}');
  await type(ben, '{"gold": 1, "mood": "wild"}');
  await ann.getByRole("button", { name: "Save snapshot" }).click();
  await ann.getByText("not saved", { exact: true }).waitFor({ state: "hidden" });
  await ben.getByText("This was changed elsewhere while you were editing.").waitFor();
  ok((await ben.locator(".cm-content").textContent()).includes("wild"), "what was typed stays");
  await ben.getByRole("button", { name: "Save snapshot" }).click();
  await ben.getByRole("dialog").getByText("Someone else changed this").waitFor();
  // A third change comes while the question is open: it is asked again.
  await client.snapshots.patch(turn.snapshot_id, { patch: [{ op: "add", path: "/third", value: true }] });
  await ben.getByRole("dialog").getByRole("button", { name: "Save mine in place of theirs" }).click();
  await ben.getByRole("dialog").getByText("third", { exact: true }).waitFor();
  await ben.getByRole("dialog").getByRole("button", { name: "Apply my changes on top" }).click();
  await ben.getByRole("dialog").waitFor({ state: "detached" });
  deepEqual((await client.snapshots.get(turn.snapshot_id)).state, { gold: 10, mood: "wild", third: true });
  await until(async () => (await ann.locator(".jse-main").textContent()).includes("wild"));
});

test("a state that is being edited stays in the editor when floors come after it", async () => {
  await client.sessions.create({ id: "busy", template: { gold: 1 } });
  const turn = await client.sessions.createTurn("busy", { role: "assistant", content: "Begin." });
  await ann.to("s/busy/snapshots");
  await type(ann, '{"gold": 42}');
  await client.sessions.createTurn("busy", { role: "assistant", content: '@.ADD("gold", 1);' });
  await until(async () => (await ann.getByLabel("Snapshot", { exact: true }).locator("option").count()) === 2);
  await eventually(async () => equal(await ann.getByLabel("Snapshot", { exact: true }).inputValue(), turn.snapshot_id));
  await eventually(async () => ok((await ann.locator(".cm-content").textContent()).includes("42")));
  await ann.getByRole("button", { name: "Save snapshot" }).click();
  await ann.getByText("not saved", { exact: true }).waitFor({ state: "hidden" });
  deepEqual((await client.snapshots.get(turn.snapshot_id)).state, { gold: 42 });
});

test("both change a variable, a character, a function, a session's settings: the second is always asked", async () => {
  const asked = (page) => page.getByText("Someone else changed this").waitFor();
  await both("variables");
  for (const page of [ann, ben]) await page.getByRole("row", { name: /theme/ }).getByRole("button", { name: "Edit" }).click();
  await ann.getByLabel("Value").fill('"ann"');
  await ben.getByLabel("Value").fill('"ben"');
  await ann.getByRole("button", { name: "Save" }).click();
  await ann.getByRole("dialog").waitFor({ state: "detached" });
  await ben.getByRole("button", { name: "Save" }).click();
  await asked(ben);
  equal((await client.variables.list({ scope: "global", key: "theme" })).data[0].value, "ann");
  await ben.getByRole("button", { name: "Take theirs" }).click();
  await ben.keyboard.press("Escape");
  await ben.getByRole("row", { name: /theme/ }).getByText("ann").waitFor();

  await both("characters/hana");
  for (const page of [ann, ben]) await page.locator('[data-ready="true"]').waitFor();
  await ann.getByLabel("Name", { exact: true }).fill("Ann's Hana");
  await ben.getByLabel("Name", { exact: true }).fill("Ben's Hana");
  await ann.getByRole("button", { name: "Save" }).click();
  await until(async () => (await client.characters.get("hana")).name === "Ann's Hana");
  await ben.getByText("This was changed elsewhere while you were editing.").waitFor();
  equal(await ben.getByLabel("Name", { exact: true }).inputValue(), "Ben's Hana");
  await ben.getByRole("button", { name: "Save" }).click();
  await asked(ben);
  equal((await client.characters.get("hana")).name, "Ann's Hana");
  await ben.getByRole("dialog").getByRole("button", { name: "Take theirs" }).click();
  await until(async () => (await ben.getByLabel("Name", { exact: true }).inputValue()) === "Ann's Hana");

  await both("global-snapshots/bow");
  for (const page of [ann, ben]) await page.locator('[data-ready="true"]').waitFor();
  await ann.getByLabel("Description").fill("seen by Ben");
  await ann.getByRole("button", { name: "Save" }).click();
  await until(async () => (await ben.getByLabel("Description").inputValue()) === "seen by Ben");
});

test("eight tabs of one browser are all live, over one stream", async () => {
  await seedTale(client, "tabs");
  const first = await newPage(place.browser, place.server.url);
  await first.to("s/tabs");
  await floor(first, 4).waitFor();
  const tabs = [first];
  for (let no = 1; no < 8; no += 1) {
    const tab = await first.context().newPage();
    tab.setDefaultTimeout(15_000);
    await tab.goto(`${place.server.url}/console/#/s/tabs`);
    await floor(tab, 4).waitFor();
    tabs.push(tab);
  }
  await client.sessions.createTurn("tabs", { role: "user", content: "For everybody." });
  for (const tab of tabs) await floor(tab, 5).getByText("For everybody.").waitFor();
  // The tab that listens is closed; another goes on, and what happened meanwhile is not lost.
  await tabs.shift().close();
  await client.sessions.createTurn("tabs", { role: "user", content: "And for those who stayed." });
  for (const tab of tabs) await floor(tab, 6).getByText("And for those who stayed.").waitFor();
  await tabs[0].context().close();
});

test("the keyboard: floors, swipes, search, help, the palette; the focus is always seen", async () => {
  await seedTale(client, "keys");
  await ann.to("s/keys");
  await floor(ann, 4).waitFor();
  await ann.keyboard.press("k");
  await ann.keyboard.press("k");
  await ann.keyboard.press("k");
  await ann.waitForURL(/floor=2/);
  await ann.keyboard.press("h");
  await floor(ann, 2).getByText("swipe 1/2").waitFor();
  await ann.keyboard.press("l");
  await floor(ann, 2).getByText("swipe 2/2").waitFor();
  await ann.keyboard.press("j");
  await ann.waitForURL(/floor=3/);
  await ann.keyboard.press("/");
  equal(await ann.evaluate(() => document.activeElement.getAttribute("type")), "search");
  await ann.keyboard.press("Escape");
  await ann.locator("body").click({ position: { x: 5, y: 700 } });
  await ann.keyboard.press("?");
  await ann.getByRole("dialog").getByText("next and previous floor").waitFor();
  await ann.keyboard.press("Escape");
  await ann.keyboard.press("ControlOrMeta+k");
  await ann.getByRole("textbox", { name: "Go to", exact: true }).fill("functions");
  await ann.keyboard.press("Enter");
  await ann.waitForURL(/#\/functions/);
  // Twenty steps with Tab: each lands on something that can be seen, with a ring.
  await ann.getByRole("heading", { name: "Function library" }).waitFor();
  // The list is read: nothing that has the focus is replaced any more.
  await ann.getByRole("switch", { name: "UNSET on" }).waitFor();
  // From the first link on: messages of other tests may still stand at the end of the page, where the next Tab leaves it.
  await ann.getByRole("navigation", { name: "Main" }).getByRole("link").first().focus();
  for (let step = 0; step < 20; step += 1) {
    await ann.keyboard.press("Tab");
    const seen = await ann.evaluate(() => {
      const element = document.activeElement;
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
      const { width, height } = element.getBoundingClientRect();
      return { what: element.outerHTML.slice(0, 120), ring: (outlineStyle !== "none" && outlineWidth !== "0px") || boxShadow !== "none" || element.matches("input[type=radio], input[type=checkbox]"), size: width * height };
    });
    ok(seen.ring && seen.size > 0, `step ${step}: ${JSON.stringify(seen)}`);
  }
});

test("the address is the state: back and forward, filters and tabs, shared with someone else", async () => {
  await ann.to("s/tale");
  await floor(ann, 4).waitFor();
  await ann.getByRole("link", { name: "History", exact: true }).click();
  await ann.getByLabel("Path, such as yuki.affinity").fill("角色.金币");
  await ann.getByRole("button", { name: "Add" }).click();
  await ann.getByRole("img", { name: /角色.金币/ }).waitFor();
  await ann.getByLabel("what if 如果").check();
  await ann.locator("figure path").nth(1).waitFor();
  await ben.goto(ann.url());
  await ben.getByRole("img", { name: /角色.金币/ }).waitFor();
  await eventually(async () => ok(await ben.getByLabel("what if 如果").isChecked()));
  await ann.getByRole("link", { name: "Variables", exact: true }).last().click();
  await ann.getByRole("heading", { name: "Staged writes" }).waitFor();
  await ann.goBack();
  await ann.getByRole("img", { name: /角色.金币/ }).waitFor();
  await ann.goForward();
  await ann.getByRole("heading", { name: "Staged writes" }).waitFor();
  await ann.to("variables");
  await ann.getByLabel("Scope").selectOption("global");
  await ann.getByRole("searchbox", { name: "Keys that begin with" }).fill("mo");
  await ann.getByRole("row", { name: /mood/ }).waitFor();
  await ann.reload();
  await ann.getByRole("row", { name: /mood/ }).waitFor();
  await eventually(async () => equal(await ann.getByRole("row").count(), 2));
});
