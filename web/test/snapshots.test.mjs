// Floor snapshots: picked, edited, compared, undone, kept; two editors of one state.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accessible, eventually, newPage, seedTale, type, withPage } from "./browser.mjs";

const at = withPage({ allow: [/status of 412/, /status of 404/] });
const { ok, equal, deepEqual } = assert;
const pick = (page) => page.getByLabel("Snapshot", { exact: true });

// A message about an earlier save may still be there, so the mark of what is not saved is what counts.
async function save(page) {
  const mark = page.getByText("not saved", { exact: true });
  await mark.waitFor();
  await page.getByRole("button", { name: "Save snapshot" }).click();
  await mark.waitFor({ state: "hidden" });
}

const texts = (locator) => locator.locator("option").allTextContents();

test("the picker has all floors of the branch that is open, newest first, and says who speaks", async () => {
  const { page, client, browser, server } = at;
  await seedTale(client, "picked");
  await page.to("s/picked/snapshots");
  await pick(page).waitFor();
  deepEqual(await texts(pick(page)), ["Floor 4 - AI message (Swipe 1) ✎", "Floor 2 - AI message (Swipe 2)", "Floor 2 - AI message (Swipe 1) (other swipe)", "Floor 0 - AI message (Swipe 1)"]);
  await page.getByText("Floor 4", { exact: true }).waitFor();
  await page.locator('[data-ready="true"]').waitFor();
  await page.getByText("9007199254740993").waitFor();
  await accessible(page, "snapshots");

  const other = await newPage(browser, server.url, { language: "zh" });
  await other.to(`s/picked/snapshots?branch=${encodeURIComponent("what if 如果")}`);
  await other.getByText("第 3 层", { exact: true }).waitFor();
  const options = await texts(other.getByLabel("快照", { exact: true }));
  equal(options[0], "第 3 层 - AI 消息 (Swipe 1)");
  equal(options.at(-1), "第 0 层 - AI 消息 (Swipe 1)");
  ok(!options.some((text) => text.includes("第 4 层")), options.join());
  await other.finish();
});

test("a floor is jumped to; one without a state says so", async () => {
  const { page } = at;
  await page.to("s/tale/snapshots");
  await page.getByLabel("Go to floor").fill("3");
  await page.getByRole("button", { name: "Go", exact: true }).click();
  await page.getByText("Floor 3 has no snapshot").waitFor();
  await page.getByLabel("Go to floor").fill("2");
  await page.getByRole("button", { name: "Go", exact: true }).click();
  await page.getByText("Floor 2", { exact: true }).waitFor();
});

test("a state is edited without rounding, compared, kept as a global one, exported and imported", async () => {
  const { page, client } = at;
  await seedTale(client, "kept");
  await page.to("s/kept/snapshots");
  await type(page, '{"角色": {"金币": 9007199254740995}}');
  await page.getByText("not saved", { exact: true }).waitFor();
  await page.getByLabel("Reason for the edit (optional)").fill("because");
  await save(page);
  await page.getByText(/edit · because/).waitFor();
  const floor = await client.sessions.getFloorByNumber("kept", 4);
  equal((await client.snapshots.get(floor.snapshot_id)).state.角色.金币, 9007199254740995n);

  await page.getByRole("button", { name: "Compare" }).click();
  equal((await texts(page.getByLabel("Compare with"))).length, 3, "every other state can be compared with");
  await page.getByRole("dialog").getByRole("button", { name: "Compare" }).click();
  await page.getByRole("dialog").getByText("角色.金币", { exact: true }).waitFor();
  await accessible(page, "compare");
  await page.keyboard.press("Escape");

  await page.getByRole("button", { name: "Save as global snapshot" }).click();
  await page.getByLabel("Name").fill("kept for later");
  await page.getByLabel("Tags").fill("act 2, 测试");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved as “kept for later”").waitFor();
  const kept = (await client.globalSnapshots.list({ tag: "测试" })).data;
  equal(kept.length, 1);

  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Export JSON" }).click()]);
  equal(download.suggestedFilename(), "snapshot-4.json");

  await page.getByRole("button", { name: "Import JSON" }).click();
  const mvu = { stat_data: { $meta: { extensible: true }, hp: 5, bag: ["$__META_EXTENSIBLE__$", "rope"] } };
  await page.getByLabel("File").setInputFiles({ name: "mvu.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(mvu)) });
  await page.getByText("Imported into the editor; not saved yet").waitFor();
  await page.getByText("not saved", { exact: true }).waitFor();
  await eventually(async () => ok(!(await page.locator(".jse-main").textContent()).includes("$meta")));
  await page.getByRole("button", { name: "Refresh" }).click();
  await page.getByText("not saved", { exact: true }).waitFor({ state: "hidden" });
});

test("edits by hand show what they replaced; undo and redo are about them alone", async () => {
  const { page, client } = at;
  await client.sessions.create({ id: "undone", template: { gold: 5, mood: "calm" } });
  const turn = await client.sessions.createTurn("undone", { role: "assistant", content: '@.ADD("gold", 2);' });
  const state = async () => (await client.snapshots.get(turn.snapshot_id)).state;
  await page.to("s/undone/snapshots");
  await page.getByText("This state has no edits by hand.").waitFor();
  const section = page.locator("section", { has: page.getByRole("heading", { name: "Edits by hand" }) }).last();
  const button = (name) => section.getByRole("button", { name, exact: true });
  await eventually(async () => ok(await button("Undo").isDisabled(), "without an edit there is nothing to undo"));
  await eventually(async () => ok(await button("Redo").isDisabled()));

  await type(page, '{"gold": 9}');
  await save(page);
  await section.locator("del", { hasText: "7" }).waitFor();
  await section.locator("del", { hasText: "− calm" }).waitFor();
  await section.getByText("(+2)").waitFor();
  deepEqual(await state(), { gold: 9 });
  await button("Undo").click();
  await section.getByText("taken back").waitFor();
  deepEqual(await state(), { gold: 7, mood: "calm" });
  await button("Redo").click();
  await section.getByRole("button", { name: "Take back" }).waitFor();
  deepEqual(await state(), { gold: 9 });
  await section.getByRole("button", { name: "Take back" }).click();
  await section.getByRole("button", { name: "Take back" }).waitFor({ state: "detached" });

  await button("Undo what the text changed").click();
  await button("Redo what the text changed").waitFor();
  deepEqual(await state(), { gold: 5, mood: "calm" });
  await button("Redo what the text changed").click();
  await button("Undo what the text changed").waitFor();
  deepEqual(await state(), { gold: 7, mood: "calm" });
});

test("what is not saved is not left without a question", async () => {
  const { page, client } = at;
  await seedTale(client, "unsaved");
  await page.to("s/unsaved/snapshots");
  await type(page, '{"mine": 1}');
  await page.getByText("not saved", { exact: true }).waitFor();
  const dialog = page.getByRole("dialog");
  const chosen = await pick(page).inputValue();
  await pick(page).selectOption({ index: 1 });
  await dialog.getByText("You changed something here that is not saved").waitFor();
  await accessible(page, "not saved");
  await dialog.getByRole("button", { name: "Stay" }).click();
  equal(await pick(page).inputValue(), chosen);
  await page.getByText("not saved", { exact: true }).waitFor();
  await page.getByRole("link", { name: "History", exact: true }).click();
  await dialog.getByRole("button", { name: "Stay" }).click();
  ok(page.url().includes("/snapshots"));
  await pick(page).selectOption({ index: 1 });
  await dialog.getByRole("button", { name: "Leave without saving" }).click();
  await page.getByText("Floor 2", { exact: true }).waitFor();
  await page.getByText("not saved", { exact: true }).waitFor({ state: "hidden" });
});

test("two editors of one state: the second sees both changes and merges", async () => {
  const { page, client } = at;
  await seedTale(client, "both");
  const turn = await client.sessions.createTurn("both", { role: "assistant", content: "Quiet." });
  await page.to(`s/both/snapshots?snapshot=${turn.snapshot_id}`);
  await page.getByRole("code").filter({ hasText: turn.snapshot_id }).waitFor();
  const { state } = await client.snapshots.get(turn.snapshot_id);
  await type(page, JSON.stringify({ ...state, 角色: undefined, mine: 1 }));
  await page.getByText("not saved", { exact: true }).waitFor();
  await client.snapshots.patch(turn.snapshot_id, { patch: { theirs: 2 } });
  await page.getByText("This was changed elsewhere while you were editing.").waitFor();
  await page.getByRole("button", { name: "Save snapshot" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Someone else changed this").waitFor();
  await dialog.getByText("theirs", { exact: true }).waitFor();
  await dialog.getByText("mine", { exact: true }).waitFor();
  await accessible(page, "conflict");
  await dialog.getByRole("button", { name: "Apply my changes on top" }).click();
  await dialog.waitFor({ state: "detached" });
  const merged = (await client.snapshots.get(turn.snapshot_id)).state;
  equal(merged.mine, 1);
  equal(merged.theirs, 2);
  ok(!("角色" in merged));
});

test("a state that a fork shares is edited and undone on the fork alone", async () => {
  const { page, client } = at;
  await client.sessions.create({ id: "lines", template: { gold: 5 } });
  const turn = await client.sessions.createTurn("lines", { role: "assistant", content: "@.ADD(\"gold\", 1);" });
  await client.floors.fork(turn.floor_id, { branch_id: "aside" });
  const gold = async (branch_id) => (await client.sessions.getState("lines", { branch_id })).state.gold;
  await page.to(`s/lines/snapshots?branch=aside&snapshot=${turn.snapshot_id}`);
  await page.getByRole("code").filter({ hasText: turn.snapshot_id }).waitFor();
  await type(page, JSON.stringify({ gold: 50 }));
  await page.getByRole("button", { name: "Save snapshot" }).click();
  await page.waitForURL((url) => !url.href.includes(turn.snapshot_id));
  equal(await gold("aside"), 50);
  equal(await gold("main"), 6, "the source stays as it is");
  await page.getByRole("button", { name: "Take back" }).first().click();
  await page.getByText("taken back", { exact: false }).first().waitFor();
  equal(await gold("aside"), 6);
});

test("a state of a megabyte is edited", async () => {
  const { page, client } = at;
  const items = Array.from({ length: 12_000 }, (_, no) => ({ id: no, name: `item ${no}`, note: "x".repeat(50) }));
  await client.sessions.create({ id: "large", template: { items } });
  const turn = await client.sessions.createTurn("large", { role: "assistant", content: "Begin." });
  await page.to("s/large/snapshots");
  await page.locator('[data-ready="true"] .cm-content').waitFor();
  await type(page, JSON.stringify({ items, changed: true }));
  await save(page);
  equal((await client.snapshots.get(turn.snapshot_id)).state.changed, true);
});

test("the editor's rows are as high as its lines, and its menu speaks Chinese", async () => {
  const { client, browser, server } = at;
  await seedTale(client, "menu");
  const page = await newPage(browser, server.url, { language: "zh" });
  await page.to("s/menu/snapshots");
  await page.locator('[data-ready="true"]').waitFor();
  await page.getByRole("button", { name: "文本", exact: true }).waitFor();
  const height = await page.locator(".jse-expand").first().evaluate((button) => button.getBoundingClientRect().height);
  ok(height < 30, `${height}`);
  await page.finish();
});
