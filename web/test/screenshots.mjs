// Renders every page with demo data and with hostile data, light, dark, phone, in both languages, into web/screenshots.
import { mkdir, rm, writeFile } from "node:fs/promises";
import { newPage, open, seed, seedFunctions, seedHostile, seedHostileFunctions, seedLong, seedTale } from "./browser.mjs";
import { ask, seedHostileTabs, seedMemory, seedPrompt, seedTools } from "./seed-tabs.mjs";

const folder = new URL("../screenshots/", import.meta.url);
const only = process.env.ONLY;
const SHAPES = [
  { name: "light", language: "en", theme: "light" },
  { name: "dark-zh", language: "zh", theme: "dark" },
  { name: "phone", language: "en", theme: "light", viewport: { width: 390, height: 844 } },
  { name: "phone-dark-zh", language: "zh", theme: "dark", viewport: { width: 390, height: 844 } },
];
const WORKERS = Number(process.env.WORKERS ?? 3);
const settle = (page) => page.settled(250);
const editor = async (page) => {
  await page.waitForSelector('[data-ready="true"]');
  await settle(page);
};
// What a person sees of the library after a click or two; the texts are in two languages, so places are found by their marks.
const tryOut = async (page) => {
  await editor(page);
  await page.locator(".bench button.primary").click();
  await page.locator(".bench .calls li").first().waitFor();
  await settle(page);
};
const failing = async (page) => {
  await editor(page);
  await page.locator(".cm-content").click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText("const [amount] = args;\nconst hp = snapshot.hp +;\nreturn snapshot;");
  await page.locator("[data-code-problem]").waitFor();
  await settle(page);
};
const menu = async (page) => {
  await page.locator('[data-function="heal"] [aria-haspopup]').click();
  await settle(page);
};
const failure = async (page) => {
  await page.locator("[data-floor]").first().waitFor();
  await client.sessions.createTurn("fails", { role: "assistant", content: 'She falls. @.BREAK(1); @.BREAK(2); @.ADD("hp", "much");' });
  await page.locator(".toast.error").waitFor();
  await settle(page);
};
const select = async (page) => {
  await page.locator("button[aria-pressed]").click();
  await settle(page);
};

/** Opens something on a page first: a dialog, a menu, a message. */
const after = (...clicks) => async (page) => {
  await settle(page);
  for (const click of clicks) await click(page);
  await settle(page);
};
// The screenshots are in two languages, so buttons are found by their place and not by their name.
const button = (selector, no = 0) => (page) => page.locator(`${selector}:visible`).nth(no).click();

await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
const { server, browser, client, close } = await open();
await seed(client);
await seedTale(client, "toasted");
await seedHostile(client);
await seedFunctions(client);
await client.characters.create({ id: "fails", name: "Fails", template: { hp: 10 }, functions: [{ name: "BREAK", type: "active", executor: 'throw new Error("no potion left");' }] });
await client.sessions.create({ id: "fails", title: "It fails", character_id: "fails" });
await client.sessions.createTurn("fails", { role: "user", content: "I climb the wall." });
await client.characters.create({ id: "evil", name: "Evil" });
await seedHostileFunctions(client, { scope: "character", character_id: "evil" });
await seedLong(client, Number(process.env.FLOORS ?? 5000));
await seedTools(client);
await ask(client, "agent");
await seedPrompt(client);
await seedMemory(client);
await seedHostileTabs(client);
const empty = await open();
const demo = await open(["--demo"]);
const typed = (text) => async (page) => {
  await page.locator("textarea").first().fill(text);
  await settle(page);
};
const PROMPT = "{{// a preview writes nothing}}You are {{char}}, and it is {{weekday}}.\n{{view::status}}\n{{setvar::visits::1}}{{if {{.visits}} >= 1}}They have met before.{{/if}} {{nobody_knows_this}}";
const clicked = (name) => async (page) => {
  await page.getByText(name).first().click();
  await settle(page);
};
const PAGES = [
  ["welcome", "sessions", settle],
  ["floors", "s/tale?floor=4", settle],
  ["floors-fork", `s/tale?branch=${encodeURIComponent("what if 如果")}`, settle],
  ["floors-problem", "s/tale?floor=2", settle],
  ["snapshots", "s/tale/snapshots", editor],
  ["history", `s/tale/history?path=${encodeURIComponent("角色.金币\n角色.生命值")}&branches=${encodeURIComponent("main\nwhat if 如果")}`, settle],
  ["variables", "s/tale/variables", settle],
  ["session-settings", "s/tale/settings", editor],
  ["all-variables", "variables", settle],
  ["characters", "characters/hana", editor],
  ["functions", "functions", settle],
  ["floors-failed", "s/fails", failure],
  ["functions-character", "functions?character=hana", settle],
  ["functions-editor", "functions/heal", tryOut],
  ["functions-passive", "functions/dusk", editor],
  ["functions-new", "functions?new=1", editor],
  ["functions-built-in", "functions/builtin:ADD", editor],
  ["functions-prompt", "functions?prompt=1", settle],
  ["functions-menu", "functions", menu],
  ["functions-export", "functions", select],
  ["functions-failed", "functions/heal", failing],
  ["global-snapshots", "global-snapshots/bow", editor],
  ["settings-general", "settings", settle],
  ["settings-cleanup", "settings/cleanup", settle],
  ["settings-keys", "settings/keys", settle],
  ["settings-trash", "settings/trash", settle],
  ["settings-limits", "settings/limits", settle],
  ["hostile-floors", "s/hostile", settle],
  ["hostile-snapshots", "s/hostile/snapshots", editor],
  ["hostile-variables", "s/hostile/variables", settle],
  ["hostile-global", "global-snapshots", settle],
  ["hostile-functions", "functions?character=evil", settle],
  ["hostile-function", "functions/evil?character=evil", editor],
  ["long-floors", "s/long?floor=2500", settle],
  ["long-history", "s/long/history?path=gold", settle],
  ["tools", "s/agent/tools", settle],
  ["tools-scratchpad", "s/agent/tools/scratchpad", settle],
  ["tools-variable", "s/agent/tools/scratchpad?var=plan", settle],
  ["tools-journal", "s/agent/tools/journal", settle],
  ["tools-call", "s/agent/tools/journal?tool=get_state", clicked("get_state")],
  ["tools-defaults", "settings/tools", settle],
  ["approvals", "approvals", settle],
  ["prompt", "s/prompts/prompt", typed(PROMPT)],
  ["prompt-messages", "s/prompts/prompt?as=messages", typed(PROMPT)],
  ["prompt-empty", "s/prompts/prompt", settle],
  ["prompt-kit", "s/prompts/prompt/kit", settle],
  ["memory", "s/forest/memory", settle],
  ["memory-status", "s/forest/memory/status?described=true", settle],
  ["memory-world", "s/forest/memory/world", settle],
  ["memory-summaries", "s/forest/memory/summaries", settle],
  ["memory-archive", "s/forest/memory/archive", settle],
  ["memory-rebuild", "s/forest/memory/rebuild", settle],
  ["memory-without", "s/tale/memory", settle],
  ["hostile-tools", "s/hostile/tools", settle],
  ["hostile-scratchpad", "s/hostile/tools/scratchpad", settle],
  ["hostile-journal", "s/hostile/tools/journal", settle],
  ["hostile-prompt", "s/hostile/prompt", typed("{{vs_stat_data}} {{<script>alert(1)</script>}}")],
  ["hostile-memory", "s/hostile-memory/memory/world", settle],
  ["empty-approvals", "approvals", settle, empty.server],
  ["empty-tool-defaults", "settings/tools", settle, empty.server],
  ["empty-sessions", "sessions", settle, empty.server],
  ["empty-variables", "variables", settle, empty.server],
  ["empty-characters", "characters", settle, empty.server],
  ["empty-functions", "functions", settle, empty.server],
  ["empty-global", "global-snapshots", settle, empty.server],
  ["error-session", "s/nobody", settle],
  ["error-address", "nothing", settle],
  ["demo-welcome", "sessions", settle, demo.server],
  ["demo-tour", "sessions", after(button(".welcome button.primary")), demo.server],
  ["demo-floors", "s/demo", settle, demo.server],
  ["demo-snapshots", "s/demo/snapshots", editor, demo.server],
  ["demo-variables", "s/demo/variables", settle, demo.server],
  ["demo-memory", "s/demo-memory", settle, demo.server],
  ["floor-state", "s/tale?floor=4&view=state", settle],
  ["floor-blame", "s/tale?floor=2&view=blame", settle],
  ["settings-archive", "settings/archive", settle],
  ["settings-log", "settings/log", settle],
  ["dialog-branches", "s/tale", after(button(".top button"))],
  ["dialog-process", "s/tale", after(button(".top button", 1))],
  ["dialog-new-session", "sessions", after(button("aside header button", 1))],
  ["dialog-compare", "s/tale/snapshots", after(async (page) => page.waitForSelector('[data-ready="true"]'), button(".side > .row button", 4))],
  ["dialog-variable", "variables", after(button("td .tools button"))],
  ["dialog-palette", "sessions", after((page) => page.keyboard.press("Control+k"))],
  ["dialog-help", "settings", after((page) => page.keyboard.press("?"))],
  ["menu-curl", "s/tale", after(button(".top [popovertarget]"))],
  ["toasts", "s/toasted", after(async (page) => {
    await page.locator(".composer select").selectOption("assistant");
    await page.locator(".composer textarea").fill('Too much. @.ADD("角色.名字", 1);');
    await page.locator(".composer button").click();
    await page.locator(".toast").first().waitFor();
  })],
];

/** One page in one shape. */
async function shoot([name, hash, ready, at = server], { name: shape, ...options }) {
  const file = `${name}-${shape}.png`;
  const page = await newPage(browser, at.url, { ...options, reducedMotion: "reduce" });
  try {
    await page.to(hash);
    await ready(page);
    await page.screenshot({ path: new URL(file, folder).pathname });
    const complaints = name.startsWith("error") ? [] : page.complaints;
    return { file, failed: complaints.join("; ") };
  } catch (error) {
    await page.screenshot({ path: new URL(file, folder).pathname }).catch(() => {});
    return { file, failed: String(error) };
  } finally {
    await page.context().close();
  }
}

const wanted = SHAPES.flatMap((shape) => PAGES.map((page) => [page, shape])).filter(([[name], { name: shape }]) => !only || `${name}-${shape}`.match(only));
const shots = new Array(wanted.length);
const began = Date.now();
let next = 0;
const work = async () => {
  while (next < wanted.length) {
    const no = next++;
    shots[no] = await shoot(...wanted[no]);
    if (shots[no].failed) console.error(`${shots[no].file}: ${shots[no].failed}`);
    if ((no + 1) % 50 === 0) console.log(`${no + 1} of ${wanted.length}, ${Math.round((Date.now() - began) / 1000)} s`);
  }
};
await Promise.all(Array.from({ length: WORKERS }, work));
// One row for each page, its shapes side by side.
const rows = PAGES.map(([name]) => {
  const files = SHAPES.map((shape) => `${name}-${shape.name}.png`).filter((file) => shots.some((shot) => shot.file === file));
  const figures = files.map((file) => `<a href="${file}" title="${file}"><img src="${file}" loading="lazy" alt="${file}"></a>`).join("");
  return files.length > 0 ? `<h2>${name}</h2><div>${figures}</div>` : "";
});
const style = "body{font:14px system-ui;margin:16px;color-scheme:light dark}h2{font-size:14px;margin:24px 0 4px}div{display:flex;gap:8px;align-items:start}img{height:320px;border:1px solid #8888}";
await writeFile(new URL("index.html", folder), `<!doctype html><meta charset="utf-8"><title>Screenshots</title><style>${style}</style>${rows.join("\n")}`);
console.log(`${shots.length} screenshots in web/screenshots/index.html, ${Math.round((Date.now() - began) / 1000)} s`);
await close();
await empty.close();
await demo.close();
if (shots.some(({ failed }) => failed)) process.exitCode = 1;
