// Settings: language, backup, cleanup, archive, trash, limits, messages.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { accessible, eventually, newPage, seedTale, withPage } from "./browser.mjs";

const at = withPage();
const { equal, match } = assert;

test("language and appearance", async () => {
  const { page } = at;
  await page.to("settings");
  await page.getByLabel("Language").selectOption("zh");
  await page.getByRole("heading", { name: "设置" }).waitFor();
  await page.getByLabel("语言").selectOption("en");
  await page.getByLabel("Appearance").selectOption("dark");
  await accessible(page, "settings, dark");
  await page.getByLabel("Appearance").selectOption("system");
});

test("the account is exported as a file", async () => {
  const { page } = at;
  await page.to("settings");
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Export the account" }).click()]);
  const lines = (await readFile(await download.path(), "utf8")).trim().split("\n").map((line) => JSON.parse(line));
  assert.ok(lines.length > 10 && JSON.stringify(lines).includes("The Gilded Flagon"));
});

test("the trash says what it has in the language of the page, and restores it", async () => {
  const { page, client, browser, server } = at;
  await seedTale(client, "trashed");
  await client.floors.delete((await client.sessions.getFloorByNumber("trashed", 1)).floor_id);
  const other = await newPage(browser, server.url, { language: "zh" });
  await other.to("settings/trash");
  await other.getByText(/^楼层：1 层/).waitFor();
  await other.finish();
  await page.to("settings/trash");
  await page.getByText(/^floors: 1 floors/).waitFor();
  await accessible(page, "trash");
  await page.getByRole("button", { name: "Restore" }).first().click();
  await page.getByText(/^Restored/).waitFor();
  equal((await client.sessions.getTranscript("trashed", {})).data.length, 5);
});

test("the archive lists sessions that were put aside", async () => {
  const { page, client } = at;
  await seedTale(client, "aside", "Put aside");
  await client.sessions.update("aside", { metadata: { archived: true, other: 1 } });
  await page.to("settings/archive");
  await page.getByRole("link", { name: "Put aside" }).waitFor();
  await accessible(page, "archive");
  await page.getByRole("button", { name: "Take the session out of the archive" }).click();
  await page.getByText("No session is archived.", { exact: false }).waitFor();
  assert.deepEqual((await client.sessions.get("aside")).metadata, { other: 1 });
});

test("cleanup counts first, then deletes", async () => {
  const { page, client } = at;
  await seedTale(client, "cleaned");
  const gone = await client.sessions.createTurn("cleaned", { role: "assistant", content: "Soon gone." });
  await client.pages.delete(gone.page_id, { permanent: true });
  await page.to("settings/cleanup");
  await page.getByText("With many chats this can take a while.").waitFor();
  const counted = page.getByText("1 snapshots would be deleted", { exact: false });
  await page.getByLabel(/Also the snapshots of pages that are gone for good/).check();
  await page.getByRole("button", { name: "See what would be deleted" }).click();
  await counted.waitFor();
  await page.getByLabel(/Also the snapshots of pages that are gone for good/).uncheck();
  await counted.waitFor({ state: "detached" });
  equal(await page.getByRole("button", { name: "Delete them" }).isDisabled(), true, "what was counted with another choice does not count");
  await page.getByLabel(/Also the snapshots of pages that are gone for good/).check();
  await page.getByRole("button", { name: "See what would be deleted" }).click();
  await counted.waitFor();
  await accessible(page, "cleanup");
  equal((await client.snapshots.get(gone.snapshot_id)).id, gone.snapshot_id, "a dry run deletes nothing");
  await page.getByRole("button", { name: "Delete them" }).click();
  await page.getByRole("dialog").getByText("1 snapshots will be deleted for good").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Delete them" }).click();
  await page.getByText("1 snapshots were deleted.").waitFor();
  await assert.rejects(client.snapshots.get(gone.snapshot_id));
});

test("limits, and the log of messages", async () => {
  const { page } = at;
  await page.to("settings/limits");
  await page.getByText(/Sessions: \d+ \//).waitFor();
  await accessible(page, "limits");
  await page.getByTitle("This page as a request").click();
  await page.getByRole("button", { name: "Copy as curl" }).click();
  await page.keyboard.press("Escape");
  await page.to("settings/log");
  await page.locator(".card", { hasText: "Copied" }).waitFor();
  match(await page.title(), /^Settings/);
});

test("a message stays while the focus is in it, and goes afterwards", async () => {
  const { browser, server } = at;
  const page = await newPage(browser, server.url);
  await page.clock.install();
  await page.to("settings/limits");
  await page.getByText(/Sessions: \d+ \//).waitFor();
  await page.getByTitle("This page as a request").click();
  await page.getByRole("button", { name: "Copy the address" }).click();
  const message = page.getByRole("log").getByText("Copied");
  await message.waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("log").getByRole("button", { name: "Close" }).focus();
  await page.clock.runFor(60_000);
  await eventually(async () => equal(await message.count(), 1));
  await page.getByRole("link", { name: "Settings", exact: true }).focus();
  await page.clock.runFor(2_000);
  equal(await message.count(), 0);
  await page.finish();
});
