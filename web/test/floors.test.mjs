// The conversation: floors, swipes, branches, texts that two people edit, processing, the view while things happen elsewhere.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accessible, eventually, newPage, seedLong, seedTale, until, withPage } from "./browser.mjs";

// Some tests want a 412 and failing requests, which the browser logs by itself.
const at = withPage({ allow: [/status of 412/, /ERR_FAILED/, /status of 500/] });
const { ok, equal } = assert;
const feed = (page) => page.getByRole("feed");
const scrollUp = async (page, by) => {
  await feed(page).hover();
  await page.mouse.wheel(0, -by);
};
const fromEnd = (page) => feed(page).evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);

test("a floor shows what it changed, problems at their place, and its swipes", async () => {
  const { page, card } = at;
  await page.to("s/tale?floor=2");
  await card(2).getByText("swipe 2/2").waitFor();
  await card(2).getByText("(−5)").waitFor();
  await card(2).locator("mark.applied").first().waitFor();
  await eventually(async () => equal(await card(2).locator("mark.refused").textContent(), '@.ADD("角色.名字", 1);'));
  await card(2).getByText("not_a_number").waitFor();
  await card(4).locator("ins", { hasText: "midnight" }).waitFor();
  await accessible(page, "floors");
});

test("swipes are chosen with buttons and keys", async () => {
  const { page, client, card } = at;
  await seedTale(client, "swiped");
  await page.to("s/swiped?floor=2");
  await card(2).getByRole("button", { name: "Previous swipe" }).click();
  await card(2).getByText("swipe 1/2").waitFor();
  await card(2).click({ position: { x: 4, y: 4 } });
  await page.keyboard.press("l");
  await card(2).getByText("swipe 2/2").waitFor();
});

test("a branch is forked from a swipe and found in the drawn tree", async () => {
  const { page, client, card } = at;
  await seedTale(client, "forked");
  await page.to("s/forked?floor=2");
  await card(2).getByRole("button", { name: "Fork from here" }).click();
  await page.getByLabel("With").selectOption({ label: "swipe 1/2" });
  await page.getByLabel("Name of the branch").fill("试验 / a try");
  await page.getByRole("dialog").getByRole("button", { name: "Fork from here" }).click();
  await page.getByRole("button", { name: "试验 / a try" }).waitFor();
  ok(page.url().includes("branch="));
  await card(2).getByText("swipe 1/2").waitFor();
  await card(2).getByText("safe path").waitFor();
  await page.getByRole("button", { name: "试验 / a try" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("link", { name: "what if 如果", exact: true }).waitFor();
  await eventually(async () => equal(await dialog.locator("svg a").count(), 3));
  await accessible(page, "branches");
  // A line of the drawing leads to its branch.
  await dialog.locator("svg a", { has: page.locator("circle") }).first().locator("circle").click();
  await dialog.waitFor({ state: "detached" });
  await page.waitForURL((url) => !url.href.includes("branch="));
  await card(4).waitFor();
});

test("more than a hundred branches are all in the tree", async () => {
  const { page, client } = at;
  await client.sessions.create({ id: "many" });
  const turn = await client.sessions.createTurn("many", { role: "assistant", content: "One." });
  for (let no = 0; no < 105; no += 1) await client.pages.fork(turn.page_id, { branch_id: `b${no}` });
  await page.to("s/many");
  await page.getByRole("button", { name: "main" }).click();
  await page.getByRole("dialog").getByRole("link", { name: "b104", exact: true }).waitFor();
  await eventually(async () => equal(await page.getByRole("dialog").locator("li").count(), 106));
});

test("a text is edited, left stale and processed", async () => {
  const { page, client, card } = at;
  await seedTale(client, "edited");
  await page.to("s/edited?floor=4");
  await card(4).getByRole("button", { name: "Edit the text" }).click();
  await card(4).getByRole("textbox", { name: "Text" }).fill('The door opens. @.SUB("角色.生命值", 7);');
  await card(4).getByRole("button", { name: "Save" }).click();
  await card(4).getByText("The door opens.").waitFor();
  await card(4).getByText("stale", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Process", exact: true }).click();
  await accessible(page, "process");
  await page.getByRole("button", { name: "Process what is stale" }).click();
  await page.getByText(/1 page got another state/).waitFor();
  await card(4).getByText("fresh", { exact: true }).waitFor();
});

test("reprocessing everything says how many pages it looked at", async () => {
  const { page, client, card } = at;
  await seedTale(client, "again");
  await page.to("s/again");
  await card(4).waitFor();
  await page.getByRole("button", { name: "Process", exact: true }).click();
  await page.getByRole("button", { name: "Reprocess everything" }).click();
  await page.getByText(/0 pages got another state · 3 pages were up to date · 1 with edits by hand/).waitFor();
});

test("a job shows how far it is and is cancelled", async () => {
  const { page, client, card } = at;
  await seedTale(client, "job");
  const job = { id: "j", kind: "process", state: "running", subject_id: "job", done: 3, total: 10, problem: null, created_at: 0, updated_at: 0 };
  let cancelled = false;
  await page.route("**/sessions/job/process", (route) => route.fulfill({ status: 202, json: { data: job } }));
  await page.route("**/jobs/j", (route) => route.fulfill({ json: { data: { ...job, state: cancelled ? "cancelled" : "running", done: 4 } } }));
  await page.route("**/jobs/j/cancel", (route) => ((cancelled = true), route.fulfill({ json: { data: { ...job, state: "cancelled" } } })));
  await page.to("s/job");
  await card(4).waitFor();
  await page.getByRole("button", { name: "Process", exact: true }).click();
  await page.getByRole("button", { name: "Reprocess everything" }).click();
  const bar = page.getByRole("status").filter({ hasText: "Processing 4 of 10" });
  await bar.waitFor();
  await bar.getByRole("button", { name: "Cancel" }).click();
  await page.getByText("Processing was stopped").waitFor();
  await bar.waitFor({ state: "detached" });
  await page.unrouteAll();
});

test("a floor is deleted and comes back", async () => {
  const { page, client, card } = at;
  await seedTale(client, "deleted");
  await page.to("s/deleted");
  await card(3).getByRole("button", { name: "Delete this floor" }).click();
  await page.getByText("Floor 3 is in the trash").waitFor();
  await card(3).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo" }).last().click();
  await card(3).waitFor();
  await page.reload();
  await card(2).waitFor();
});

test("one swipe is deleted and comes back", async () => {
  const { page, client, card } = at;
  await client.sessions.create({ id: "swipes" });
  const turn = await client.sessions.createTurn("swipes", { role: "assistant", content: "one" });
  await client.sessions.createTurn("swipes", { role: "assistant", content: "two", swipe_of: turn.floor_id });
  await page.to("s/swipes");
  await card(0).getByText("two", { exact: true }).waitFor();
  await card(0).getByRole("button", { name: "Delete this swipe" }).click();
  await card(0).getByText("one", { exact: true }).waitFor();
  await page.getByText("The swipe is in the trash").waitFor();
  await page.getByRole("button", { name: "Undo" }).last().click();
  await card(0).getByText(/swipe \d\/2/).waitFor();
});

test("two people edit one text: the second sees both and merges, or keeps one of them", async () => {
  const { page, client, card } = at;
  await client.sessions.create({ id: "texts" });
  const edit = async (theirs, mine) => {
    const turn = await client.sessions.createTurn("texts", { role: "assistant", content: "The door is red. The cat sleeps." });
    await page.to(`s/texts?floor=${turn.floor_no}`);
    await card(turn.floor_no).getByRole("button", { name: "Edit the text" }).click();
    await card(turn.floor_no).getByRole("textbox", { name: "Text" }).fill(mine);
    await client.pages.update(turn.page_id, { content: theirs });
    await card(turn.floor_no).getByRole("button", { name: "Save" }).click();
    await page.getByRole("dialog").getByText("Someone else changed this").waitFor();
    return { choose: (name) => page.getByRole("dialog").getByRole("button", { name }).click(), text: async () => (await client.pages.get(turn.page_id)).content, card: card(turn.floor_no) };
  };
  const merged = await edit("The door is green. The cat sleeps.", "The door is red. The dog sleeps.");
  await page.getByRole("dialog").locator("ins", { hasText: "green" }).waitFor();
  await page.getByRole("dialog").locator("ins", { hasText: "dog" }).waitFor();
  await merged.choose("Apply my changes on top");
  await merged.card.getByText("The door is green. The dog sleeps.").waitFor();
  equal(await merged.text(), "The door is green. The dog sleeps.");

  const same = await edit("The door is green. The cat sleeps.", "The door is blue. The cat sleeps.");
  equal(await page.getByRole("button", { name: "Apply my changes on top" }).count(), 0, "the same place cannot be merged");
  await same.choose("Save mine in place of theirs");
  await same.card.getByText("The door is blue.").waitFor();
  equal(await same.text(), "The door is blue. The cat sleeps.");

  const theirs = await edit("The door is green.", "The door is blue.");
  await theirs.choose("Take theirs");
  await theirs.card.getByText("The door is green.").waitFor();
  equal(await theirs.text(), "The door is green.");
});

test("a draft outlives its card, and a message its page", async () => {
  const { page, client, card } = at;
  await seedLong(client, 300, "drafts");
  await page.to("s/drafts");
  await card(299).waitFor();
  await page.getByRole("textbox", { name: "Write a message" }).fill("Half a thou");
  await card(299).getByRole("button", { name: "Edit the text" }).click();
  await card(299).getByRole("textbox", { name: "Text" }).fill("Unfinished");
  await scrollUp(page, 10_000_000);
  await card(0).waitFor();
  await card(299).waitFor({ state: "detached" });
  await page.to("s/drafts/history");
  await page.getByText("Choose a value to see how it changed").waitFor();
  await page.to("s/drafts?floor=299");
  equal(await card(299).getByRole("textbox", { name: "Text" }).inputValue(), "Unfinished");
  equal(await page.getByRole("textbox", { name: "Write a message" }).inputValue(), "Half a thou");
  await card(299).getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("textbox", { name: "Write a message" }).fill("");
});

test("a part that cannot be read says so and is read again", async () => {
  const { page, client, card } = at;
  await seedLong(client, 60, "broken");
  await page.route("**/sessions/broken/log?*", (route) => route.fulfill({ status: 500, json: { error: { code: "internal_error", message: "the disk is on fire" } } }));
  await page.to("s/broken");
  await page.getByText(/could not be read.*the disk is on fire/).first().waitFor();
  await page.unrouteAll();
  await page.getByRole("button", { name: "Try again" }).last().click();
  await card(59).waitFor();
});

test("what happens elsewhere appears by itself, in every browser", async () => {
  const { page, client, card, browser, server } = at;
  await seedTale(client, "shared");
  await page.to("s/shared");
  await card(4).waitFor();
  await client.sessions.createTurn("shared", { role: "assistant", content: 'From elsewhere. @.ADD("角色.金币", 100);' });
  await page.getByText("From elsewhere.").waitFor();
  const other = await newPage(browser, server.url, { language: "zh", theme: "dark" });
  await other.to("s/shared");
  await other.getByText("From elsewhere.").waitFor();
  await other.getByRole("link", { name: "楼层快照" }).waitFor();
  await other.getByRole("combobox", { name: "角色" }).locator("option", { hasText: "用户" }).waitFor({ state: "attached" });
  await client.sessions.update("shared", { title: "Renamed elsewhere" });
  await other.getByRole("heading", { name: "Renamed elsewhere" }).waitFor();
  await accessible(other, "floors, dark, Chinese");
  await other.finish();
});

test("a view at the end stays at the end, also after replies; one further up stays where it is", async () => {
  const { page, client, card } = at;
  await seedLong(client, 200, "scrolled");
  await page.to("s/scrolled");
  await card(199).waitFor();
  await page.waitForFunction(() => {
    const box = document.querySelector('[role="feed"]');
    return box.scrollHeight - box.scrollTop - box.clientHeight < 2 && document.querySelector('[data-floor="199"] mark, [data-floor="198"] mark');
  });
  for (const no of [200, 201, 202]) {
    await page.getByRole("combobox", { name: "Role" }).selectOption("assistant");
    await page.getByRole("textbox", { name: "Write a message" }).fill(`Reply.\n${"A long line.\n".repeat(20)}@.ADD("n", 1);`);
    await page.getByRole("button", { name: "Send" }).click();
    await card(no).locator("mark").waitFor();
    await page.waitForFunction(() => {
      const box = document.querySelector('[role="feed"]');
      return box.scrollHeight - box.scrollTop - box.clientHeight < 2;
    });
  }
  await scrollUp(page, 1500);
  // The floors above are read now, and their cards are higher than was estimated.
  await page.waitForFunction(() => document.querySelector('[role="feed"]').getAttribute("aria-busy") === "false");
  const seen = page.locator("article").nth(3);
  const no = await page.evaluate(() => {
    const box = document.querySelector('[role="feed"]').getBoundingClientRect();
    return [...document.querySelectorAll("article")].find((card) => card.getBoundingClientRect().top > box.top)?.dataset.floor;
  });
  ok(seen && no !== undefined);
  const place = () => card(no).evaluate((found) => Math.round(found.getBoundingClientRect().top));
  const drawn = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  let before = await place();
  for (let last = NaN; last !== before; before = await place()) {
    last = before;
    await drawn();
  }
  const turn = await client.sessions.createTurn("scrolled", { role: "assistant", content: 'Elsewhere. @.ADD("n", 1);' });
  await page.waitForFunction((last) => document.querySelector('[aria-label="Go to floor"]')?.getAttribute("placeholder")?.endsWith(`–${last}`), turn.floor_no);
  await drawn();
  equal(await place(), before, "the floor that is being read does not move");
  ok((await fromEnd(page)) > 1000);
});

test("the floor of the address is in view, whatever is read after it, and a view at the end is another one", async () => {
  const { client, browser, server } = at;
  await seedTale(client, "named");
  for (const viewport of [{ width: 1280, height: 800 }, { width: 390, height: 844 }]) {
    const other = await newPage(browser, server.url, { viewport });
    await other.to("s/named?floor=2");
    const chosen = other.locator('[data-floor="2"]');
    await chosen.locator("mark.refused").waitFor();
    await other.settled();
    const above = await chosen.evaluate((card) => card.closest('[role="feed"]').getBoundingClientRect().top - card.getBoundingClientRect().top);
    ok(above <= 1, `${viewport.width}: ${above} pixels of the floor are above the view`);
    await other.to("s/named");
    await until(async () => (await fromEnd(other)) < 2);
    await other.finish();
  }
});

test("the tabs of a floor: state, change, history, blame, raw", async () => {
  const { page, client, card } = at;
  await seedTale(client, "tabs");
  await page.to("s/tabs?floor=2");
  const tab = (name) => card(2).getByRole("tab", { name, exact: true });
  await tab("State").click();
  await card(2).locator("pre", { hasText: '"编号": 9007199254740993' }).waitFor();
  ok(page.url().includes("view=state"));
  await tab("Blame").click();
  await card(2).getByText('@.SUB("角色.金币", 5);').nth(1).waitFor();
  await card(2).getByLabel(/Path, such as/).fill("世界.地点");
  await card(2).getByRole("button", { name: "Trace" }).click();
  await card(2).getByRole("link", { name: "#0" }).waitFor();
  await tab("Raw").click();
  await card(2).locator("pre", { hasText: "She slides a key across." }).waitFor();
  await accessible(page, "tabs of a floor");
  await tab("History").click();
  await card(2).getByRole("link", { name: "角色.金币" }).click();
  await page.getByRole("img", { name: /角色.金币/ }).waitFor();
});

test("five thousand floors open at once, jump and scroll", async () => {
  const { page, client, card } = at;
  await seedLong(client, 5000);
  await page.to("s/long");
  await card(4999).waitFor();
  await page.getByLabel("Go to floor").fill("2500");
  await page.keyboard.press("Enter");
  await card(2500).waitFor();
  await eventually(async () => ok(await card(2500).isVisible()));
  await eventually(async () => ok((await page.locator("article").count()) < 200, "only the floors near the view exist"));
  await scrollUp(page, 10_000_000);
  await card(0).waitFor();
  await page.getByLabel("Go to floor").fill("9999");
  await page.keyboard.press("Enter");
  await page.getByText("There is no floor 9999").waitFor();

  // Every floor can be picked, and the whole line is drawn.
  await page.to("s/long/snapshots");
  const options = page.getByLabel("Snapshot", { exact: true }).locator("option");
  await page.waitForFunction(() => document.querySelectorAll('[aria-label="Snapshot"] option').length === 2500);
  await eventually(async () => equal(await options.first().textContent(), "Floor 4998 - AI message (Swipe 1)"));
  await eventually(async () => equal(await options.last().textContent(), "Floor 0 - AI message (Swipe 1)"));
  await page.to("s/long/history?path=n");
  await page.getByText("2500 changes").waitFor();
  const drawing = page.getByRole("img", { name: /^n over/ });
  await drawing.hover({ position: { x: 300, y: 60 } });
  await page.getByRole("status").filter({ hasText: /^#\d+ · main · \d+$/ }).waitFor();
  await page.getByText("2500 changes").click();
  await page.getByRole("button", { name: "Older" }).click();
  await page.getByText("2 of 25").waitFor();
  await page.getByRole("cell", { name: "#4798" }).waitFor();
  await drawing.click({ position: { x: 300, y: 60 } });
  await page.waitForURL(/floor=/);
});
