// A real SillyTavern with the extension, a scripted model and our server, driven in Chromium.
import { spawn } from "node:child_process";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { TavernkeepClient } from "../../build/parts.js";
import { startServer } from "../../../../sdk/typescript/test/server.mjs";
import { startModel } from "./model.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const executablePath = process.env.CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) => existsSync(path));
/** Where `scripts/sillytavern` installed it. */
const program = process.env.SILLYTAVERN ?? here("../../sillytavern");

async function freePort() {
  const probe = createServer();
  await new Promise((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** Starts SillyTavern with an empty data folder and the built extension. */
async function startTavern(folder, port, env) {
  const data = join(folder, "data");
  await mkdir(join(data, "default-user", "extensions"), { recursive: true });
  await cp(here("../../dist/tavernkeep"), join(data, "default-user", "extensions", "tavernkeep"), { recursive: true });
  const settings = await readFile(join(program, "default/config.yaml"), "utf8");
  const config = settings
    .replace(/^port: .*$/m, `port: ${port}`)
    .replace(/^dataRoot: .*$/m, `dataRoot: ${JSON.stringify(data)}`)
    .replace(/(^browserLaunch:\n(?:.*\n)*?  enabled: )true/m, "$1false")
    .replace(/^enableServerPlugins: false/m, "enableServerPlugins: true")
    .replace(/^(enableServerPluginsAutoUpdate|enableDownloadableTokenizers): true/gm, "$1: false")
    .replace(/^  autoUpdate: true/m, "  autoUpdate: false")
    .replace(/^    autoDownload: true/m, "    autoDownload: false");
  const configPath = join(folder, "config.yaml");
  await writeFile(configPath, config);
  const child = spawn(process.execPath, ["server.js", "--configPath", configPath, "--dataRoot", data, "--port", String(port), "--browserLaunchEnabled", "false"], { cwd: program, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  child.stdout.on("data", (text) => (output += text));
  child.stderr.on("data", (text) => (output += text));
  process.once("exit", () => child.kill("SIGKILL"));
  const url = `http://127.0.0.1:${port}`;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`SillyTavern ended: ${output}`);
    if (/is listening/.test(output) && (await fetch(url).catch(() => undefined))?.ok) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return { url, data, output: () => output, close: () => new Promise((resolve) => (child.once("exit", resolve), child.kill("SIGTERM"))) };
}

/** Everything that a test needs. */
export async function play(folder) {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await mkdir(join(program, "plugins/tavernkeep"), { recursive: true });
  await cp(here("../../dist/plugin"), join(program, "plugins/tavernkeep"), { recursive: true });
  const model = await startModel();
  const port = await freePort();
  const server = await startServer(["--set", `allowed_origins=http://127.0.0.1:${port}`]);
  const tavern = await startTavern(folder, port, { TAVERNKEEP_URL: server.url });
  const client = new TavernkeepClient({ baseUrl: server.url });
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 860 }, locale: "en-US" })).newPage();
  page.setDefaultTimeout(60_000);
  const log = [];
  page.on("console", (message) => log.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => log.push(`error: ${error}`));
  page.on("dialog", (dialog) => void dialog.accept());
  return { model, tavern, server, client, browser, page, log, async close() {
    await browser.close();
    await tavern.close();
    await server.close();
    await model.close();
    await rm(folder, { recursive: true, force: true });
  } };
}

/** Keeps the chat as it is at every event, for the tests that do without SillyTavern. */
export async function record({ page }) {
  await page.evaluate(() => {
    const { eventSource, eventTypes } = SillyTavern.getContext();
    globalThis.recorded ??= [];
    const wanted = ["MESSAGE_RECEIVED", "MESSAGE_SENT", "MESSAGE_SWIPED", "MESSAGE_EDITED", "MESSAGE_DELETED", "MESSAGE_SWIPE_DELETED", "GENERATION_AFTER_COMMANDS", "GENERATION_ENDED", "CHAT_CHANGED"];
    for (const name of wanted) {
      eventSource.on(eventTypes[name], () => {
        const { chat, chatId } = SillyTavern.getContext();
        const kept = chat.map(({ name, mes, is_user, is_system, swipes, swipe_id, extra }) => ({ name, mes, is_user, is_system, swipes, swipe_id, extra: extra?.type ? { type: extra.type } : {} }));
        const entry = JSON.parse(JSON.stringify({ event: name, chat_name: chatId, chat: kept }));
        const last = globalThis.recorded.at(-1);
        if (chatId && JSON.stringify(last?.chat) !== JSON.stringify(entry.chat)) globalThis.recorded.push(entry);
      });
    }
  });
}

/** Opens the page of SillyTavern and connects it to the model and the server. */
export async function load({ page, tavern, model, server }) {
  await page.goto(tavern.url);
  await page.waitForFunction(() => !document.querySelector("#preloader") && globalThis.SillyTavern && globalThis.tavernkeep, null, { timeout: 120_000 });
  const dialog = page.locator("dialog[open] .popup-button-ok");
  if (await dialog.count()) await dialog.first().click();
  await page.evaluate(async ({ address, url }) => {
    const at = SillyTavern.getContext();
    at.extensionSettings.tavernkeep.address = address;
    await at.executeSlashCommandsWithOptions("/api custom");
    await at.executeSlashCommandsWithOptions(`/api-url api=custom connect=true quiet=true ${url}`);
    at.chatCompletionSettings.custom_model = "script";
    at.chatCompletionSettings.stream_openai = false;
  }, { address: server.url, url: model.url });
  await page.waitForFunction(() => SillyTavern.getContext().onlineStatus !== "no_connection");
}
