// Global snapshots: found, changed, applied to any floor.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accessible, eventually, hold, seedLong, withPage } from "./browser.mjs";

const at = withPage({ allow: [/status of 412/, /status of 404/], args: ["--set", "process_time_ms=600000"] });
const { equal } = assert;

test("one is found by its tag, changed and deleted", async () => {
  const { page, client } = at;
  await client.globalSnapshots.create({ id: "found", name: "before the storm", tags: ["act 3"], body: { big: 9007199254740993n } });
  await page.to("global-snapshots");
  await page.getByLabel("Tags").selectOption("act 3");
  await page.getByRole("link", { name: /before the storm/ }).click();
  await page.locator('[data-ready="true"]').waitFor();
  await page.getByText("9007199254740993").waitFor();
  await page.getByLabel("Description").fill("a quiet moment");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved", { exact: true }).waitFor();
  equal((await client.globalSnapshots.get("found")).body.big, 9007199254740993n);
  await accessible(page, "global snapshots");
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("Choose a snapshot on the left.").waitFor();
});

test("two people change one: the second sees both and merges", async () => {
  const { page, client } = at;
  await client.globalSnapshots.create({ id: "both", name: "both", body: { gold: 1 } });
  await page.to("global-snapshots/both");
  await page.locator('[data-ready="true"]').waitFor();
  await page.getByLabel("Description").fill("mine");
  await client.globalSnapshots.update("both", { body: { gold: 2 } });
  await page.getByRole("button", { name: "Save" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("body.gold", { exact: true }).waitFor();
  await dialog.getByRole("button", { name: "Apply my changes on top" }).click();
  await dialog.waitFor({ state: "detached" });
  // The dialog closes before the merged one is stored.
  await page.saved();
  const merged = await client.globalSnapshots.get("both");
  assert.deepEqual([merged.description, merged.body], ["mine", { gold: 2 }]);
});

test("one is applied to a floor far back, on any branch", async () => {
  const { page, client } = at;
  await seedLong(client, 150, "far");
  const tenth = await client.sessions.getFloorByNumber("far", 10);
  await client.pages.fork(tenth.page_id, { branch_id: "other" });
  await client.sessions.createTurn("far", { role: "assistant", content: "Elsewhere.", branch_id: "other" });
  const apply = async (branch, floor) => {
    await page.to("global-snapshots/bow");
    await page.getByRole("button", { name: "Apply to a page" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Session").selectOption("far");
    await dialog.getByLabel("Branch").selectOption(branch);
    await dialog.getByLabel(/^Floor/).fill(String(floor));
    await dialog.getByText(floor === 4 ? /Reply 4\./ : "Elsewhere.").waitFor();
    await dialog.getByRole("button", { name: "Apply to a page" }).click();
    await dialog.waitFor({ state: "detached" });
  };
  await apply("main", 4);
  const fourth = await client.sessions.getFloorByNumber("far", 4);
  equal((await client.snapshots.get(fourth.snapshot_id)).state.big, 9007199254740993n);
  await apply("other", 11);
  equal((await client.sessions.getState("far", { branch_id: "other" })).state.big, 9007199254740993n);
});

test("a floor that is about to be typed is not replaced by the last one of the branch", async () => {
  const { page, client } = at;
  await client.sessions.create({ id: "slow" });
  const first = await client.sessions.createTurn("slow", { role: "assistant", content: "The first." });
  for (const content of ["The second.", "The third."]) await client.sessions.createTurn("slow", { role: "assistant", content });
  await client.pages.fork(first.page_id, { branch_id: "aside" });
  await page.to("global-snapshots/bow");
  await page.getByRole("button", { name: "Apply to a page" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Session").selectOption("slow");
  await dialog.getByText("The third.").waitFor();
  const held = await hold(page, "**/transcript?branch_id=aside*");
  await dialog.getByLabel("Branch").selectOption("aside");
  await held.isAsked;
  await dialog.getByLabel(/^Floor/).focus();
  await held.release();
  await dialog.getByLabel(/^Floor \(0–0\)/).waitFor();
  await eventually(async () => equal(await dialog.getByLabel(/^Floor/).inputValue(), "2"));
  await dialog.getByLabel(/^Floor/).fill("0");
  await dialog.getByText("The first.").waitFor();
  await page.keyboard.press("Escape");
});
