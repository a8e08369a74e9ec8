// The list of sessions: search, create, import, archive, delete; addresses that lead nowhere.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { accessible, eventually, seedTale, withPage } from "./browser.mjs";

const at = withPage({ allow: [/status of 404/] });
const { ok, equal, match } = assert;

test("a browser that asks for / is led to the console; others get what they got", async () => {
  const { page, server } = at;
  await page.goto(server.url);
  ok(page.url().includes("/console/"));
  await page.getByRole("heading", { name: "Welcome" }).waitFor();
  const plain = await fetch(server.url, { headers: { accept: "*/*" }, redirect: "manual" });
  equal(plain.status, 200);
  const shown = await fetch(`${server.url}/console/`);
  const policy = shown.headers.get("content-security-policy");
  match(policy, /script-src 'self';/);
  ok(!/script-src[^;]*unsafe/.test(policy) && !(await shown.text()).includes("<script>"));
  equal((await fetch(`${server.url}/console/nothing.js`)).status, 404);
});

test("what loads before the editors stays small", async () => {
  const folder = new URL("../dist/", import.meta.url);
  const html = await readFile(new URL("index.html", folder), "utf8");
  const files = [...html.matchAll(/(?:src|href)="\.\/(assets\/[^"]+)"/g)].map(([, name]) => `${name}.gz`);
  ok(files.length >= 2);
  const sizes = await Promise.all(files.map(async (name) => (await readFile(new URL(name, folder))).length));
  const sum = sizes.reduce((total, size) => total + size, 0);
  ok(sum < 500_000, `${sum} bytes`);
});

test("sessions are searched, and each says how long it is", async () => {
  const { page } = at;
  await page.to("sessions");
  await page.getByRole("link", { name: /Gilded Flagon.*5 floors/ }).waitFor();
  const search = page.getByRole("searchbox", { name: "Search sessions" });
  await search.fill("nothing like it");
  await page.getByText("Nothing found").waitFor();
  await search.fill("镀金");
  await page.getByRole("link", { name: /Gilded Flagon/ }).waitFor();
  await search.fill("");
  await accessible(page, "sessions");
});

test("the heading of the list stands on one line, beside and without the buttons", async () => {
  const { page } = at;
  await page.to("s/tale");
  const heading = page.getByRole("heading", { name: "Sessions", exact: true });
  const { height } = await heading.boundingBox();
  const line = await heading.evaluate((element) => parseFloat(getComputedStyle(element).lineHeight) || 32);
  ok(height < 1.5 * line, `${height} of ${line}`);
});

test("a session is created, written in and deleted by typing its id", async () => {
  const { page, client, card } = at;
  await page.to("sessions");
  await page.getByRole("button", { name: "New", exact: true }).click();
  equal(await page.evaluate(() => document.activeElement?.getAttribute("name")), "title");
  await page.getByLabel("Title").fill("Made by hand");
  await page.getByLabel("Id").fill("by-hand");
  await page.getByLabel(/Template/).fill("{gold");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("alert").waitFor();
  await page.getByLabel(/Template/).fill('{"gold": 9007199254740993}');
  await accessible(page, "new session");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByText("This session has no floors yet").waitFor();
  equal((await client.sessions.getState("by-hand")).state.gold, 9007199254740993n);

  await page.getByRole("combobox", { name: "Role" }).selectOption("assistant");
  await page.getByRole("textbox", { name: "Write a message" }).fill('Take this. @.ADD("gold", 1); @.ADD("nothing", "x");');
  await page.getByRole("button", { name: "Send" }).click();
  await card(0).getByText("9007199254740994").waitFor();
  await card(0).getByText("(+1)").waitFor();
  await page.getByText(/1 command was refused: ADD/).waitFor();
  const covered = await page.getByRole("button", { name: "Send" }).evaluate((button) => {
    const { left, top, width, height } = button.getBoundingClientRect();
    return !button.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  });
  ok(!covered, "a message does not stand on the button that sends");

  await page.getByRole("button", { name: "Delete the session" }).click();
  const confirm = page.getByRole("dialog").getByRole("button", { name: "Delete the session" });
  await eventually(async () => ok(await confirm.isDisabled()));
  await page.getByLabel("Type by-hand to confirm").fill("by-hand");
  await confirm.click();
  await page.getByText("The session was deleted").waitFor();
  await assert.rejects(client.sessions.get("by-hand"));
});

test("a session is archived and found again", async () => {
  const { page, client } = at;
  await client.imports.run({ file_name: "Hana.jsonl", session_id: "imported", content: JSON.stringify({ name: "Hana", mes: "Good evening." }) });
  await page.to("s/imported");
  await page.getByRole("button", { name: "Archive the session" }).click();
  await page.getByText("The session is in the archive").waitFor();
  await page.getByRole("link", { name: /^Hana/ }).waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Archive", exact: true }).click();
  await page.getByRole("link", { name: /^Hana/ }).waitFor();
  await page.getByRole("button", { name: "Take the session out of the archive" }).click();
  await page.getByText("The session is out of the archive").waitFor();
});

test("an address that leads nowhere says so", async () => {
  const { page } = at;
  for (const hash of ["nothing", "s/tale/nothing"]) {
    await page.to(hash);
    await page.getByRole("heading", { name: "Not found" }).waitFor();
  }
  await page.to("s/nobody");
  await page.getByText("There is no session “nobody”").waitFor();
  for (const name of ["Process", "Delete the session", "Send"]) equal(await page.getByRole("button", { name, exact: true }).count(), 0, name);
  await accessible(page, "not found");
  await page.getByRole("link", { name: "Go to the sessions" }).click();
  await page.getByRole("heading", { name: "Welcome" }).waitFor();
});

test("the browser's tab names what is open", async () => {
  const { page, client } = at;
  await seedTale(client, "titled", "Titled");
  for (const [hash, title] of [
    ["s/titled", /^Titled · Tavernkeep$/],
    ["s/titled/history", /^Titled · History · Tavernkeep$/],
    ["characters/hana", /^花 Hana · Characters · Tavernkeep$/],
    ["settings", /^Settings · Tavernkeep$/],
    ["sessions", /^Tavernkeep$/],
  ]) {
    await page.to(hash);
    await page.waitForFunction((pattern) => new RegExp(pattern).test(document.title), title.source);
  }
});
