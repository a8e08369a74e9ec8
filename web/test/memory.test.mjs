// The memory of a session as a person uses it.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { accessible, eventually, newPage, open } from "./browser.mjs";
import { seedMemory } from "./seed-tabs.mjs";

const { equal, match, ok, deepEqual } = assert;
const EVIL = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script> مرحبا`;
let place;
let page;
let client;
let model;
before(async () => {
  // A model that answers as an OpenAI-compatible one does.
  model = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ choices: [{ message: { role: "assistant", content: "模型写的总结：雾散了。" } }] }));
  });
  await new Promise((done) => model.listen(0, "127.0.0.1", done));
  place = await open(["--set", `model_url=http://127.0.0.1:${model.address().port}/v1`, "--set", "model_name=test"]);
  client = place.client;
  await seedMemory(client);
  page = await newPage(place.browser, place.server.url);
});
after(async () => {
  await place?.close();
  model.close();
});

const section = (name) => page.getByRole("region", { name, exact: true });

test("a session without the rules explains what they are", async () => {
  await client.sessions.create({ id: "plain" });
  await page.to("s/plain/memory");
  await page.getByText("This session does not use the memory rules").waitFor();
  await accessible(page, "memory without the rules");
  await page.getByRole("link", { name: /Choose the profile/ }).click();
  await page.waitForURL(/s\/plain\/settings/);
  // It appears as soon as the session uses them, also through its character.
  await client.characters.create({ id: "keeper", name: "Keeper", profile: { base: "memory" } });
  await page.to("s/plain/memory");
  await page.getByText("This session does not use the memory rules").waitFor();
  await client.sessions.update("plain", { character_id: "keeper" });
  await section("属性段").waitFor();
});

test("the character sheet, the status and the world, with descriptions", async () => {
  await page.to("s/forest/memory");
  await page.getByRole("heading", { name: "阿雪" }).waitFor();
  await page.getByText("雾镇 · 新历13年 · 01月02日 · 09:00 · 雾").waitFor();
  await section("衍生属性段").getByText("60 / 110").waitFor();
  await eventually(async () => match(await section("属性段").textContent(), /力量\s*10\s*\+2/));
  equal(await page.getByText("力量的基础值，没有上限").count(), 0);
  await accessible(page, "character sheet");
  await page.getByLabel("Show descriptions").check();
  await page.getByText("力量的基础值，没有上限").waitFor();
  match(page.url(), /described/);
  await page.getByRole("link", { name: "Status", exact: true }).click();
  await section("world_shard").getByText("找回失踪的孩子").waitFor();
  await accessible(page, "status");
  await page.getByRole("link", { name: "World", exact: true }).click();
  await section("Everywhere: people, settings, bag").getByText("传奇宝剑").waitFor();
  await section("Everywhere: people, settings, bag").getByText("protected").waitFor();
  await section("Map").getByText("112 (3/d)").waitFor();
  await accessible(page, "world");
  await page.getByRole("link", { name: "As the model sees it" }).click();
  await section("As the model sees it").getByText("play_character_data:").waitFor();
});

test("what a turn changes elsewhere appears by itself, and another branch has its own", async () => {
  const floor = await client.sessions.getFloorByNumber("forest", 5);
  await client.pages.fork(floor.page_id, { branch_id: "如果" });
  await page.to("s/forest/memory");
  await section("衍生属性段").getByText("60 / 110").waitFor();
  await client.sessions.createTurn("forest", { role: "assistant", content: "set_attribute('衍生属性段.生命值.当前', 41);" });
  await section("衍生属性段").getByText("41 / 110").waitFor();
  await page.getByLabel("Branch").selectOption("如果");
  await section("衍生属性段").getByText("41 / 110").waitFor({ state: "detached" });
  ok(page.url().includes("branch="));
});

test("summaries: what is due, one written by hand, one by the model", async () => {
  await page.to("s/forest/memory/summaries");
  await page.getByText("No summary is due.").waitFor();
  for (const no of [1, 2, 3, 4]) await client.sessions.createTurn("forest", { role: "assistant", content: `memory('summary.small', '短记 ${no}', '第 ${no} 件事。');` });
  await section("Short notes").getByText("4 / 4").waitFor();
  await page.getByRole("status").getByText("summary_due").waitFor();
  await accessible(page, "summaries");
  await page.getByLabel("Summary", { exact: true }).fill(`手写的总结 ${EVIL}`);
  await page.getByLabel("Title (optional)").fill("尾声");
  await page.getByLabel("Reason for the edit (optional)").fill("a good place to stop");
  await page.getByRole("button", { name: "Add the summary" }).click();
  await page.getByText("The summary was added").waitFor();
  await section("Summaries").getByText("手写的总结 <img").waitFor();
  equal(await page.evaluate(() => window.hacked), undefined);
  const state = await client.sessions.getState("forest");
  match(state.state.assa_data.summary.big.尾声, /手写的总结/);
  deepEqual((await client.pages.listEdits(state.page_id)).data.map((edit) => edit.reason), ["a good place to stop"]);
  await page.getByRole("button", { name: /^Ask the model/ }).click();
  await section("Summaries").getByText("模型写的总结：雾散了。").waitFor();
});

test("the archive: searched, narrowed, exported", async () => {
  await page.to("s/forest/memory/archive");
  await page.getByText("治疗药水", { exact: true }).waitFor();
  await accessible(page, "archive");
  await page.getByLabel("Where it stood").selectOption("world_set.npc");
  await page.getByText("治疗药水", { exact: true }).waitFor({ state: "detached" });
  await page.getByText("宗师铁匠", { exact: true }).waitFor();
  await page.getByLabel("Where it stood").selectOption("");
  await page.getByLabel("World", { exact: true }).selectOption("黑森林");
  await page.getByText("雾镇 12月29日 18:20").waitFor({ state: "detached" });
  await page.getByLabel("Search the archive").fill("脾气古怪");
  await page.getByText("神秘的线人").waitFor({ state: "detached" });
  await page.getByText("1 entry").waitFor();
  match(page.url(), /find=/);
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Export" }).click()]);
  const lines = (await readFile(await download.path(), "utf8")).trim().split("\n").map((line) => JSON.parse(line));
  deepEqual(lines.map((line) => line.key), ["宗师铁匠"]);
  await page.getByRole("link", { name: "Floor 29" }).click();
  await page.waitForURL(/s\/forest\?floor=29/);
});

test("rebuild: a dry run, its report, then the whole", async () => {
  const early = await client.sessions.getFloorByNumber("forest", 2);
  await client.pages.patchState(early.page_id, { patch: { by_hand: true } });
  await page.to("s/forest/memory/rebuild");
  const run = page.getByRole("button", { name: "Rebuild now" });
  await eventually(async () => ok(await run.isDisabled()));
  await page.getByLabel("Take edits by hand back").check();
  await page.getByRole("button", { name: "See what would differ" }).click();
  await section("Report").getByText("dry run, nothing was stored").waitFor();
  await section("Report").getByRole("link", { name: "Floor 2", exact: true }).waitFor();
  await accessible(page, "rebuild");
  equal((await client.pages.getState(early.page_id)).state.by_hand, true);
  // Another choice needs another look.
  await page.getByLabel("Take edits by hand back").uncheck();
  await eventually(async () => ok(await run.isDisabled()));
  await page.getByLabel("Take edits by hand back").check();
  await run.click();
  await page.getByRole("dialog").getByText("Edits by hand are taken back.").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Rebuild now" }).click();
  await section("Report").getByText("done", { exact: true }).waitFor();
  equal((await client.pages.getState(early.page_id)).state.by_hand, undefined);
});

test("a rebuild that takes long shows how far it got, and can be stopped", async () => {
  // A function that never ends is stopped after 100 ms of each turn, so twelve turns take longer than a request waits.
  await client.characters.create({ id: "slow", name: "Slow", functions: [{ name: "forever", type: "passive", timing: "after_active", enabled: true, executor: "for (;;);" }] });
  await client.sessions.create({ id: "slow", profile: "memory" });
  await client.sessions.sync("slow", { floors: Array.from({ length: 12 }, () => ({ role: "assistant", swipes: [{ content: "On she walks." }] })) });
  await client.sessions.update("slow", { character_id: "slow" });
  await page.to("s/slow/memory/rebuild");
  await page.getByRole("button", { name: "See what would differ" }).click();
  await page.getByText(/Processing \d+ of 12/).waitFor();
  await accessible(page, "a rebuild that runs");
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByText("Processing was stopped").waitFor();
  await page.getByText(/Processing \d+ of 12/).waitFor({ state: "detached" });
});

test("hostile values are text; Chinese, dark, a phone; every view shows its request", async () => {
  const phone = await newPage(place.browser, place.server.url, { viewport: { width: 390, height: 844 }, hasTouch: true, language: "zh", theme: "dark" });
  await client.sessions.createTurn("forest", { role: "assistant", content: `memory('global_set.npc', '坏人', {"描述": ${JSON.stringify(EVIL + "VeryLong".repeat(40))}, "_showInEJS": false});` });
  for (const view of ["", "/status", "/world", "/summaries", "/archive", "/model", "/rebuild"]) {
    await phone.to(`s/forest/memory${view}`);
    await phone.getByRole("link", { name: "角色卡" }).waitFor();
    if (view === "/world") await phone.getByText("<script>").waitFor();
    await phone.settled();
    ok(!(await phone.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth)), view);
    await accessible(phone, `memory${view} on a phone`);
    equal(await phone.evaluate(() => window.hacked), undefined);
    await page.to(`s/forest/memory${view}`);
    await page.getByTitle("This page as a request").last().click();
    await eventually(async () => match(await page.locator("[popover]:popover-open pre").textContent(), /\/sessions\/forest\/(memory|process)/));
    await page.keyboard.press("Escape");
  }
  await phone.finish();
});

test("the pages logged no errors", () => deepEqual(page.complaints, []));
