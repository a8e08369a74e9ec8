// What the browser tests share: a real server, Debian's Chromium, pages that may not complain.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, afterEach, before } from "node:test";
import { chromium } from "playwright-core";
import { TavernkeepClient } from "../../sdk/typescript/packages/sdk/dist/index.js";
import { startServer } from "../../sdk/typescript/test/server.mjs";

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
export const executablePath = process.env.CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) => existsSync(path));

// Makes every page this many times slower: races that a busy machine shows once a week appear at once.
const SLOW = Number(process.env.SLOW ?? 1);

// A test that fails once on a busy machine must explain itself: what every page showed, and pictures beside.
const openPages = new Set();
if (process.env.NODE_TEST_CONTEXT) {
  afterEach(async ({ name, passed }) => {
    if (passed) return;
    const folder = new URL("failures/", import.meta.url);
    mkdirSync(folder, { recursive: true });
    for (const [no, page] of [...openPages].entries()) {
      const file = new URL(`${name.slice(0, 60).replace(/[^a-z0-9]+/gi, "-")}-${no}.png`, folder).pathname;
      await page.screenshot({ path: file, timeout: 5_000 }).catch(() => {});
      const text = await page.locator("body").innerText({ timeout: 5_000 }).catch((error) => String(error));
      console.error(`page ${no} at ${page.url()} (${file})\n${[...page.complaints, text.slice(0, 3000)].join("\n").replace(/^/gm, "    ")}`);
    }
  });
}

/** A server with the console, a client and a browser. */
export async function open(args = [], base = "") {
  if (!executablePath) throw new Error("no Chromium: scripts/setup installs it, or set CHROMIUM");
  const server = await startServer(args, base);
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
  const client = new TavernkeepClient({ baseUrl: server.url });
  return {
    server,
    browser,
    client,
    async close() {
      await browser.close();
      await server.close();
    },
  };
}

/** A server with a story, and a page for the tests of a file; at the end the page may have logged only the errors that are allowed. */
export function withPage({ allow = [], fill = seed, args = [] } = {}) {
  const at = {};
  before(async () => {
    Object.assign(at, await open(args));
    await fill(at.client);
    at.page = await newPage(at.browser, at.server.url, { allow });
    at.card = (no) => at.page.locator(`[data-floor="${no}"]`);
    at.again = () => newPage(at.browser, at.server.url, { allow });
  });
  after(async () => {
    const complaints = at.page?.complaints;
    await at.close?.();
    assert.deepEqual(complaints, [], "the page logged errors");
  });
  return at;
}

/** Replaces the document in the JSON editor. */
export async function type(page, text) {
  await page.locator('[data-ready="true"]').waitFor();
  if (!(await page.locator(".cm-content").isVisible())) await page.getByRole("button", { name: "text", exact: true }).click();
  await page.locator(".cm-content").click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(text);
}

/** Holds back the answers to some requests of a page. `isAsked` comes with the first request; `release` lets all of them through. */
export async function hold(page, pattern, method = "GET") {
  let [asked, answer] = [() => {}, () => {}];
  const [isAsked, isAnswered] = [new Promise((done) => (asked = done)), new Promise((done) => (answer = done))];
  await page.route(pattern, async (route) => {
    if (route.request().method() === method) {
      asked();
      await isAnswered;
    }
    await route.continue();
  });
  return {
    isAsked,
    async release() {
      answer();
      await page.unroute(pattern, { behavior: "wait" });
    },
  };
}

/** Waits until something is so that has to be asked for: `waitForFunction` takes a promise for an answer. */
export async function until(check, ms = 30_000) {
  for (const end = Date.now() + ms; Date.now() < end; ) {
    if (await check()) return;
    await new Promise((done) => setTimeout(done, 25));
  }
  throw new Error(`never so: ${check}`);
}

/** Asserts something that a page shows soon: what reads a page once may read it before the last click has come about. */
export async function eventually(assertion, ms = 10_000) {
  for (const end = Date.now() + ms; ; await new Promise((done) => setTimeout(done, 25))) {
    try {
      return await assertion();
    } catch (error) {
      if (!(error instanceof assert.AssertionError) || Date.now() > end) throw error;
    }
  }
}

/**
 * Playwright waits for an element to come, but fails at once where there are two: a list that is filtered, for example, shows its old
 * rows until the new ones are there. Here what is done with one element waits until there is one.
 */
function waitForOne(page) {
  const locators = Object.getPrototypeOf(page.locator("*"));
  if (locators.waitsForOne) return;
  locators.waitsForOne = true;
  for (const name of ["waitFor", "click", "fill", "check", "uncheck", "selectOption", "setInputFiles", "press", "hover", "textContent", "inputValue", "boundingBox"]) {
    const act = locators[name];
    locators[name] = async function (...args) {
      for (const end = Date.now() + 10_000; ; await new Promise((done) => setTimeout(done, 25))) {
        try {
          return await act.apply(this, args);
        } catch (error) {
          if (!error.message.includes("strict mode violation") || Date.now() > end) throw error;
        }
      }
    };
  }
}

/** A page in its own context. What it logs as an error fails the test at the end. */
export async function newPage(browser, url, { language = "en", theme = "light", viewport = { width: 1280, height: 800 }, allow = [], ...options } = {}) {
  const context = await browser.newContext({ viewport, locale: language === "zh" ? "zh-CN" : "en-US", colorScheme: theme, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  waitForOne(page);
  if (SLOW > 1) await (await context.newCDPSession(page)).send("Emulation.setCPUThrottlingRate", { rate: SLOW });
  page.complaints = [];
  const note = (text) => {
    if (!allow.some((pattern) => pattern.test(text))) page.complaints.push(text);
  };
  page.on("console", (message) => message.type() === "error" && note(`${message.text()} ${message.location().url}`));
  page.on("pageerror", (error) => note(String(error)));
  // The event stream never ends; everything else does.
  const asking = new Set();
  page.on("request", (request) => !request.url().includes("/events") && asking.add(request));
  for (const end of ["requestfinished", "requestfailed"]) page.on(end, (request) => asking.delete(request));
  /** Waits until the page has asked for nothing for a moment and its motions have ended. */
  page.settled = async (quietMs = 150) => {
    await page.locator("#app > *").first().waitFor();
    let since = Date.now();
    await until(() => {
      if (asking.size > 0) since = Date.now();
      return Date.now() - since >= quietMs;
    });
    await page.evaluate(() => Promise.all(document.getAnimations().map((one) => one.finished.catch(() => {}))));
  };
  openPages.add(page);
  page.on("close", () => openPages.delete(page));
  page.base = url;
  /** Opens an address. In a console that is open already it waits until the console has gone there, so that nothing is done on the page before. */
  page.to = async (hash) => {
    if (!page.url().startsWith(`${url}/console/`)) await page.goto(`${url}/console/#/${hash}`);
    else {
      await page.evaluate((address) => new Promise((done) => {
        const before = location.hash;
        addEventListener("hashchange", () => setTimeout(done), { once: true });
        location.hash = address;
        if (location.hash === before) done();
      }), `#/${hash}`);
    }
    return page;
  };
  /** Waits until a person could leave without being asked: everything that was typed is saved, and the page knows it. */
  page.saved = () => until(() => page.evaluate(() => dispatchEvent(new Event("beforeunload", { cancelable: true }))));
  page.finish = async () => {
    assert.deepEqual(page.complaints, [], "the page logged errors");
    await context.close();
  };
  return page;
}

/** Fails on serious accessibility findings. */
export async function accessible(page, label) {
  await page.evaluate(axeSource);
  // The JSON editor is a library of its own; its insides are not ours.
  const found = await page.evaluate(() => window.axe.run({ exclude: [[".jse-main"]] }, { resultTypes: ["violations"] }));
  const serious = found.violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  const text = serious.map((one) => `${one.id}: ${one.help}\n    ${one.nodes.slice(0, 3).map((node) => node.html.slice(0, 200)).join("\n    ")}`).join("\n  ");
  assert.equal(serious.length, 0, `${label}:\n  ${text}`);
}

/** A conversation with swipes, a fork, a problem and an edit by hand. */
export async function seedTale(client, id = "tale", title = "The Gilded Flagon · 镀金酒壶") {
  const template = { 世界: { 时间: "2024年10月26日 20:00", 地点: "魔都" }, 角色: { 名字: "张三", 生命值: 100, 金币: 500, 编号: 9007199254740993n }, 背包: ["治疗药水", "魔法卷轴"], note: "It rains on the roof of the inn and nobody has come through the door since noon." };
  await client.sessions.create({ id, title, template });
  const say = (role, content, more = {}) => client.sessions.createTurn(id, { role, content, ...more });
  await say("assistant", 'Rain drums on the roof. "A room, or a story?" @.SET("世界.地点", "镀金酒壶");', { name: "Innkeeper" });
  await say("user", "A room. And news of the road north.");
  const third = await say("assistant", '"Ten silver buys you the safe path." @.SUB("角色.金币", 10);//the toll\n@.APPEND("背包", "地图");', { name: "Innkeeper" });
  await say("assistant", 'She slides a key across. @.SUB("角色.金币", 5); @.ADD("角色.名字", 1);', { swipe_of: third.floor_id, name: "Innkeeper" });
  await say("user", "I take the key and go upstairs.");
  const fifth = await say("assistant", 'The stairs creak. @.SUB("角色.生命值", 3); @.SET("note", "It rains on the roof of the inn and a stranger has come through the door at midnight.");');
  await client.pages.fork(third.page_id, { branch_id: "what if 如果" });
  await say("assistant", 'You take the road at once. @.SET("角色.金币", 490); @.SUB("角色.生命值", 20);', { branch_id: "what if 如果" });
  await client.pages.patchState(fifth.page_id, { patch: [{ op: "replace", path: "/角色/生命值", value: 99 }], reason: "a slip" });
  return { third, fifth };
}

/** A story that shows everything: a conversation, variables, a character, a global snapshot. */
export async function seed(client) {
  await client.characters.create({ id: "hana", name: "花 Hana", template: { 花: { 好感度: 40 } }, greetings: ["晚上好。", 'You again? @.SUB("花.好感度", 5);'] });
  const tale = await seedTale(client);
  await client.variables.putMany({
    items: [
      { scope: "global", scope_id: "global", key: "theme", value: "night" },
      { scope: "global", scope_id: "global", key: "mood", value: "none" },
      { scope: "chat", scope_id: "tale", key: "mood", value: "calm" },
      { scope: "branch", session_id: "tale", branch_id: "main", key: "gold", value: 500 },
      { scope: "chat", scope_id: "tale", key: "背包", value: { 药水: 2, items: ["rope", "lantern"] } },
    ],
  });
  await client.globalSnapshots.create({ id: "bow", name: "after the bow", tags: ["act 1"], body: { gold: 5, big: 9007199254740993n } });
  return tale;
}

/** Names, values and texts that would break a page that does not escape them. */
export async function seedHostile(client) {
  const evil = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>{{7*7}} javascript:alert(1) "'\``;
  const long = "非常长的名字 VeryLongNameWithoutSpaces".repeat(12);
  await client.sessions.create({ id: "hostile", title: `${evil} ${long}`, template: { [evil]: evil, [long]: { deep: long }, "مرحبا": "שלום עולם", "a/b~c.d": 1 } });
  await client.sessions.createTurn("hostile", { role: "assistant", name: evil, content: `${evil}\nمرحبا بالعالم ${long}\n@.SET("a/b~c.d", "${"x".repeat(300)}"); @.SET("n", ;` });
  await client.variables.put({ scope: "chat", scope_id: "hostile", key: evil, value: evil });
  await client.globalSnapshots.create({ name: evil, tags: [evil.slice(0, 60), long.slice(0, 60)], body: { [evil]: evil } });
  await client.characters.create({ name: `${evil}${long.slice(0, 200)}`, greetings: [evil] });
}

/** A chat of many floors, by one sync. */
export async function seedLong(client, count, id = "long") {
  await client.sessions.create({ id, title: `${count} floors`, template: { n: 0, gold: 0 } });
  const floors = Array.from({ length: count }, (_, no) => ({
    role: no % 2 ? "user" : "assistant",
    swipes: [{ content: no % 2 ? `Message ${no}. ${"And then? ".repeat(no % 7)}` : `Reply ${no}. ${"The road goes on. ".repeat(no % 11)}@.ADD("n", 1); @.ADD("gold", ${(no % 5) - 2});` }],
  }));
  await client.sessions.sync(id, { floors });
  const done = await client.sessions.process(id, {});
  if ("state" in done) await client.waitForJob(done.id);
  // On a busy machine the sync has left a job of its own.
  for (const job of (await client.jobs.list({ limit: 100 })).data) await client.waitForJob(job.id);
}

/** A library of functions: of the account and of a character, with a conflict, a failing one and hostile names. */
export async function seedFunctions(client) {
  const make = (one, query) => client.functions.create(one, query);
  await make({ id: "heal", name: "HEAL", type: "active", order: 0, description: "治疗角色，生命值不超过 100 (heals, up to 100)", signature: "@.HEAL(amount);", example: "@.HEAL(30);", executor: "const [amount] = args;\n_.update(snapshot, \"角色.生命值\", (hp = 0) => Math.min(100, hp + amount));\nreturn snapshot;\n" });
  await make({ id: "spend", name: "spend gold", type: "active", order: 1, pattern: "/spends? (\\d+) gold/gi", description: "Takes gold when the story says so.", executor: "const [gold] = args;\nsnapshot.gold = (snapshot.gold ?? 0) - gold;\n" });
  await make({ id: "dusk", name: "时间推进", type: "passive", timing: "after_active", order: 2, description: "每回合时间自动推进1小时", executor: "// 每回合一小时\nif (_.has(snapshot, \"世界.时间\")) {\n  _.update(snapshot, \"世界.时间\", (time) => addHours(time, 1));\n}\n" });
  await make({ id: "own-set", name: "SET", type: "active", order: 3, enabled: true, description: "Another SET, with a note in the log.", executor: "const [path, value] = args;\nconsole.log(\"set\", path);\n_.set(snapshot, path, value);\n" });
  await make({ id: "kiss", name: "KISS", type: "active", description: "A function of Hana's own.", executor: "_.update(snapshot, \"花.好感度\", (now) => now + 5);\n" }, { scope: "character", character_id: "hana" });
}

/** Functions whose names and texts would break a page that does not escape them. */
export async function seedHostileFunctions(client, query = {}) {
  const evil = `<img src=x onerror="window.hacked=1">{{7*7}} "'\``;
  const long = "非常长VeryLongNameWithoutSpaces".repeat(4);
  await client.functions.create({ id: "evil", name: evil, type: "passive", timing: "before_active", order: 10, description: `${evil} ${long.repeat(6)}`, executor: `throw new Error(${JSON.stringify(evil)});` }, query);
  await client.functions.create({ id: "wide", name: long.slice(0, 40), type: "active", order: 11, pattern: `${"(a|b)".repeat(60)}`, signature: `@.${long}(${evil});`, description: `مرحبا بالعالم ${long}`, executor: "" }, query);
}
