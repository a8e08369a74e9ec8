// Every page of the console, each as a person may meet it: light and dark, English and Chinese, desktop and phone, with demo data
// and with hostile data. No serious finding of axe, nothing that scrolls sideways, a request to copy, no text without a
// translation, and the same page after a reload.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import typescript from "typescript";
import { accessible, eventually, newPage, open, seed, seedFunctions, seedHostile, seedHostileFunctions, seedTale, until } from "./browser.mjs";
import { ask, seedHostileTabs, seedMemory, seedPrompt, seedTools } from "./seed-tabs.mjs";

const { ok, equal, deepEqual, match } = assert;
const FORK = encodeURIComponent("what if 如果");
const PAGES = [
  "sessions",
  "s/tale",
  "s/tale?floor=2",
  "s/tale?floor=4&view=state",
  "s/tale?floor=2&view=blame",
  "s/tale?floor=2&view=raw",
  `s/tale?branch=${FORK}`,
  "s/tale/snapshots",
  `s/tale/history?path=${encodeURIComponent("角色.金币")}&branches=${encodeURIComponent("main\nwhat if 如果")}`,
  "s/tale/variables",
  "s/tale/settings",
  "s/agent/tools",
  "s/agent/tools/scratchpad",
  "s/agent/tools/scratchpad?var=plan",
  "s/agent/tools/journal",
  "s/prompts/prompt",
  "s/prompts/prompt?as=messages",
  "s/prompts/prompt/kit",
  "s/forest/memory",
  "s/forest/memory/status?described=true",
  "s/forest/memory/world",
  "s/forest/memory/summaries",
  "s/forest/memory/archive",
  "s/forest/memory/model",
  "s/forest/memory/rebuild",
  "s/tale/memory",
  "variables",
  "functions",
  "functions?character=hana",
  "functions/heal",
  "functions/builtin:ADD",
  "functions?prompt=1",
  "characters",
  "characters/hana",
  "global-snapshots",
  "global-snapshots/bow",
  "approvals",
  "settings",
  "settings/tools",
  "settings/cleanup",
  "settings/archive",
  "settings/keys",
  "settings/trash",
  "settings/limits",
  "settings/log",
];
const HOSTILE = [
  "sessions",
  "s/hostile?floor=0",
  "s/hostile?floor=0&view=state",
  "s/hostile?floor=0&view=blame",
  "s/hostile?floor=0&view=raw",
  "s/hostile/snapshots",
  "s/hostile/history?path=n",
  "s/hostile/variables",
  "s/hostile/settings",
  "s/hostile/tools",
  "s/hostile/tools/scratchpad",
  "s/hostile/tools/journal",
  "s/hostile/prompt/kit",
  "s/hostile-memory/memory/world",
  "variables",
  "functions?character=evil",
  "functions/evil?character=evil",
  "characters",
  "global-snapshots",
  "approvals",
  "settings/trash",
  "settings/archive",
];

// TypeScript's messages, read as JavaScript.
const messages = async (name) => {
  const source = readFileSync(new URL(`../src/messages/${name}.ts`, import.meta.url), "utf8");
  const { outputText } = typescript.transpileModule(source, { compilerOptions: { module: "ESNext", target: "ES2022" } });
  return import(`data:text/javascript;base64,${Buffer.from(outputText).toString("base64")}`);
};

let place;
let client;
before(async () => {
  place = await open();
  client = place.client;
  await seed(client);
  await seedFunctions(client);
  await seedTools(client);
  await ask(client, "agent");
  await seedPrompt(client);
  await seedMemory(client);
  await seedHostile(client);
  await client.characters.create({ id: "evil", name: "Evil" });
  await seedHostileFunctions(client, { scope: "character", character_id: "evil" });
  await seedHostileTabs(client);
  // Something hostile in the trash and in the archive.
  await seedTale(client, "trashed", `<script>window.hacked=1</script> trashed`);
  await client.sessions.delete("trashed");
  await client.sessions.create({ id: "aside", title: "<script>window.hacked=1</script> aside", metadata: { archived: true } });
});
after(() => place?.close());

/** Looks at every page and says at the end what is wrong with which. */
async function each(hashes, look) {
  const wrong = [];
  for (const hash of hashes) await look(hash).catch((error) => wrong.push(`${hash}: ${error.message}`));
  deepEqual(wrong, []);
}

const sideways = (page) => page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);

/** Buttons and links that show only a picture, and say nowhere what it means. */
const unexplained = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll("button, a[href]")]
      .filter((one) => one.checkVisibility() && !one.closest(".jse-main") && one.innerText.trim() === "" && !one.title)
      .map((one) => one.outerHTML.slice(0, 200)),
  );

/** What a page shows, without what the clock says. */
const shown = (page) => page.evaluate(() => document.querySelector("main").innerText.replace(/\s+/g, " "));

test("every page: light, in English, with a request to copy, and the same after a reload", async () => {
  const page = await newPage(place.browser, place.server.url);
  await each(PAGES, async (hash) => {
    await page.to(hash);
    await page.settled();
    await accessible(page, hash);
    ok(!(await sideways(page)), `${hash} scrolls sideways`);
    deepEqual(await unexplained(page), [], `${hash} has pictures without a word`);
    const before = await shown(page);
    await page.reload();
    await page.settled();
    // Seeds of previews differ, and messages are gone.
    if (!hash.includes("prompt") && hash !== "settings/log") await until(async () => (await shown(page)) === before).catch(async () => equal(await shown(page), before, `${hash} after a reload`));
    // A dialog has a button of its own.
    const button = page.locator("dialog[open], body").last().getByTitle("This page as a request").last();
    if (await page.locator("dialog[open]").count()) await page.keyboard.press("Escape");
    await button.click();
    await eventually(async () => match(await page.locator("[popover]:popover-open pre").textContent(), /^curl .*http:\/\/127\.0\.0\.1/s, hash));
    await page.keyboard.press("Escape");
  });
  await page.finish();
});

test("every page: dark, in Chinese, on a phone, without a word that was not translated", async () => {
  const [{ en }, { zh }] = await Promise.all([messages("en"), messages("zh")]);
  // English texts that a Chinese page must not show: whole texts of at least two words, with anything in the place of names.
  const foreign = Object.entries(en)
    .filter(([key, text]) => zh[key] !== text)
    .flatMap(([, text]) => text.split("|"))
    .filter((text) => /[a-z]{2,} [a-z]{2,}/i.test(text.replace(/\{\w+\}/g, "")))
    .map((text) => `^${text.replace(/[.*+?^$()[\]\\]/g, "\\$&").replace(/\{\w+\}/g, ".+")}$`);
  const phone = await newPage(place.browser, place.server.url, { language: "zh", theme: "dark", viewport: { width: 390, height: 844 }, hasTouch: true });
  await each(PAGES, async (hash) => {
    await phone.to(hash);
    await phone.settled();
    await accessible(phone, `${hash} on a phone`);
    ok(!(await sideways(phone)), `${hash} scrolls sideways on a phone`);
    const untranslated = await phone.evaluate((patterns) => {
      const sought = patterns.map((pattern) => new RegExp(pattern, "s"));
      const texts = [];
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      for (let node = walker.nextNode(); node; node = walker.nextNode()) texts.push(node.data.trim());
      for (const element of document.querySelectorAll("[title], [aria-label], [placeholder]")) for (const name of ["title", "aria-label", "placeholder"]) texts.push(element.getAttribute(name) ?? "");
      return [...new Set(texts)].filter((text) => text !== "" && sought.some((one) => one.test(text)));
    }, foreign);
    deepEqual(untranslated, [], `${hash} has English texts`);
    ok(!(await phone.locator("body").innerText()).match(/\b(undefined|\[object Object\]|NaN)\b/), hash);
  });
  await phone.finish();
});

test("every page: hostile names, values and texts are text, dark on a phone and light on a desktop", async () => {
  for (const options of [{}, { theme: "dark", viewport: { width: 390, height: 844 } }]) {
    const page = await newPage(place.browser, place.server.url, options);
    await each(HOSTILE, async (hash) => {
      await page.to(hash);
      await page.settled();
      await page.getByText(/<script>|<img src=x/).first().waitFor({ state: "attached" });
      equal(await page.evaluate(() => window.hacked), undefined, hash);
      ok(!(await sideways(page)), `${hash} scrolls sideways`);
      await accessible(page, `hostile ${hash}`);
    });
    await page.keyboard.press("ControlOrMeta+k");
    await page.getByRole("textbox", { name: "Go to", exact: true }).fill("<");
    await page.getByRole("dialog").getByText("<script>").first().waitFor();
    equal(await page.evaluate(() => window.hacked), undefined, "palette");
    await page.finish();
  }
});

test("both languages have every text, with the same names in it, and every code of the server has a meaning in Chinese", async () => {
  const [{ en }, { zh }, { codesZh }] = await Promise.all([messages("en"), messages("zh"), messages("codes.zh")]);
  deepEqual(Object.keys(zh).toSorted(), Object.keys(en).toSorted());
  const names = (text) => [...new Set(text.match(/\{\w+\}/g) ?? [])].toSorted();
  for (const [key, text] of Object.entries(en)) {
    deepEqual(names(zh[key]), names(text), key);
    ok(text.trim() !== "" && zh[key].trim() !== "", key);
  }
  const same = Object.keys(en).filter((key) => en[key] === zh[key] && /[a-z]{3,} [a-z]{3,}/i.test(en[key]));
  deepEqual(same, [], "texts that are English in Chinese");
  const document = JSON.parse(readFileSync(new URL("../../openapi.json", import.meta.url), "utf8"));
  deepEqual(document.components.schemas.ErrorCode.enum.filter((code) => !(code in codesZh)), []);
});

test("no component has a text of its own", () => {
  // What stands between tags and in attributes that are read out comes from the messages. Signs, units and code do not.
  const files = ["components", "routes", "routes/settings"].flatMap((folder) => typescript.sys.readDirectory(new URL(`../src/${folder}`, import.meta.url).pathname, [".svelte"], undefined, undefined, 1));
  ok(files.length > 60);
  const found = [];
  for (const file of new Set(files)) {
    const markup = readFileSync(file, "utf8").replace(/<script[\s\S]*?<\/script>|<style[\s\S]*?<\/style>|<!--[\s\S]*?-->/g, "");
    // Expressions may hold expressions.
    let plain = markup;
    for (let last = ""; last !== plain; ) [last, plain] = [plain, plain.replace(/\{[^{}]*\}/g, "")];
    for (const [, text] of plain.matchAll(/>([^<>]+)</g)) if (/[A-Za-z]{3,}|[\u4e00-\u9fff]/.test(text)) found.push(`${file.split("/").at(-1)}: ${text.trim()}`);
    for (const [, name, text] of plain.matchAll(/\b(title|aria-label|placeholder)="([^"]+)"/g)) if (/[A-Za-z]{3,} [A-Za-z]{3,}/.test(text)) found.push(`${file.split("/").at(-1)}: ${name}="${text}"`);
  }
  // Names, commands, and languages in their own words.
  const names = ["curl", "English", "中文", "Tavernkeep", "Tavernkeep  ·", "args =", "tavernkeep backup --to backup.sqlite3", "tavernkeep account key create --role admin --name me", "tavernkeep serve --demo", 'title="Ctrl Enter"'];
  deepEqual(found.filter((one) => !names.includes(one.split(": ").slice(1).join(": "))), []);
});
