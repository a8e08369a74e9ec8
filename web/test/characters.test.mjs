// Characters, and the settings of a session, which take over what a character says.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accessible, hold, type, withPage } from "./browser.mjs";

const at = withPage({ allow: [/status of 412/, /status of 404/] });
const { equal, deepEqual } = assert;

test("a character is made, changed and deleted", async () => {
  const { page, client } = at;
  await page.to("characters");
  await page.getByRole("link", { name: "花 Hana" }).waitFor();
  await page.getByRole("button", { name: "New", exact: true }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("Ren");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { name: "Ren" }).waitFor();
  await page.locator('[data-ready="true"]').waitFor();
  await page.getByRole("button", { name: "Add a greeting" }).click();
  await page.getByRole("textbox", { name: "Greeting 1" }).fill("Hello there.");
  await page.getByLabel("Profile").selectOption("strict");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved for all sessions of the character").waitFor();
  const made = (await client.characters.list()).data.find((one) => one.name === "Ren");
  const stored = await client.characters.get(made.id);
  deepEqual([stored.greetings, stored.profile], [["Hello there."], "strict"]);
  await accessible(page, "characters");
  await page.getByRole("button", { name: "Delete", exact: true }).first().click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("Choose a character on the left.").waitFor();
  await page.to("characters/nobody");
  await page.getByText(/nobody.*not found/).waitFor();
});

test("two people change one character: the second sees both and merges", async () => {
  const { page, client } = at;
  await client.characters.create({ id: "mio", name: "Mio", template: { gold: 1 } });
  await page.to("characters/mio");
  await page.locator('[data-ready="true"]').waitFor();
  await page.getByLabel("Name", { exact: true }).fill("Mio the Brave");
  await client.characters.update("mio", { template: { gold: 2 } });
  await page.getByText("This was changed elsewhere while you were editing.").waitFor();
  await page.getByRole("button", { name: "Save" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("template.gold", { exact: true }).waitFor();
  await dialog.getByText("name", { exact: true }).waitFor();
  await accessible(page, "conflict of a character");
  await dialog.getByRole("button", { name: "Apply my changes on top" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("heading", { name: "Mio the Brave" }).waitFor();
  await page.saved();
  const merged = await client.characters.get("mio");
  deepEqual([merged.name, merged.template], ["Mio the Brave", { gold: 2 }]);
});

test("a template is exported and imported", async () => {
  const { page, client } = at;
  await client.characters.create({ id: "file", name: "File", template: { gold: 1 } });
  await page.to("characters/file");
  await page.getByRole("heading", { name: "File" }).waitFor();
  await page.locator('[data-ready="true"]').waitFor();
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Export JSON" }).click()]);
  equal(download.suggestedFilename(), "template-file.json");
  const take = async (content) => {
    await page.getByRole("button", { name: "Import JSON" }).click();
    await page.getByLabel("File", { exact: true }).setInputFiles({ name: "t.json", mimeType: "application/json", buffer: Buffer.from(content) });
  };
  await take("[1]");
  await page.getByText("A state is an object").waitFor();
  await page.keyboard.press("Escape");
  await take('{"silver": 9007199254740993}');
  await page.getByText("Imported into the editor; not saved yet").waitFor();
  await page.getByRole("button", { name: "Save" }).click();
  await page.saved();
  deepEqual((await client.characters.get("file")).template, { silver: 9007199254740993n });
});

test("what is saved keeps nobody on the page, though it is still being read again", async () => {
  const { page, client } = at;
  await client.characters.create({ id: "quick", name: "Quick" });
  await page.to("characters/quick");
  await page.getByLabel("Name").fill("Quicker");
  const held = await hold(page, "**/characters/quick");
  await page.getByRole("button", { name: "Save" }).click();
  await held.isAsked;
  await page.to("characters");
  await page.getByText("Choose a character").waitFor();
  equal(await page.getByRole("dialog").count(), 0);
  await held.release();
});

test("the settings of a session: title, character, a template of its own", async () => {
  const { page, client } = at;
  await client.sessions.create({ id: "set" });
  await page.to("s/set/settings");
  await page.locator('[data-ready="true"]').waitFor();
  await page.getByLabel("Title").fill("Set and more");
  await page.getByLabel("Character").selectOption("hana");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "Set and more" }).waitFor();
  await page.getByText("好感度").waitFor();
  await type(page, '{"own": 9007199254740993}');
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("the session's own", { exact: true }).waitFor();
  equal((await client.sessions.getTemplate("set")).template.own, 9007199254740993n);
  await accessible(page, "settings of a session");
  await page.getByRole("button", { name: "Remove the session's own" }).click();
  await page.getByText("of the character, or none").waitFor();
});

test("two people change the settings of a session: the second sees both and merges", async () => {
  const { page, client } = at;
  await client.sessions.create({ id: "two", title: "Two", template: { gold: 1 } });
  await page.to("s/two/settings");
  await page.locator('[data-ready="true"]').waitFor();
  await page.getByLabel("Title").fill("Mine");
  await client.sessions.update("two", { template: { gold: 2 } });
  await page.getByText("This was changed elsewhere while you were editing.").waitFor();
  await page.getByRole("button", { name: "Save" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("template.gold", { exact: true }).waitFor();
  await dialog.getByText("title", { exact: true }).waitFor();
  await dialog.getByRole("button", { name: "Apply my changes on top" }).click();
  await page.getByRole("heading", { name: "Mine" }).waitFor();
  equal((await client.sessions.get("two")).title, "Mine");
  deepEqual((await client.sessions.getTemplate("two")).template, { gold: 2 });
});
