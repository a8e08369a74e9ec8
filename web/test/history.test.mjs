// History: a value over the chat, and who set it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accessible, withPage } from "./browser.mjs";

const at = withPage();
const BRANCH = "what if 如果";

test("charts by branch, values, blame; a point leads to its floor", async () => {
  const { page } = at;
  await page.to("s/tale/history");
  await page.getByText("Choose a value to see how it changed").waitFor();
  await page.getByLabel("Path, such as yuki.affinity").fill("角色.生命值");
  await page.getByRole("button", { name: "Add" }).click();
  await page.getByRole("img", { name: /角色.生命值/ }).waitFor();
  await page.getByLabel(BRANCH).check();
  await page.locator("figure path").nth(1).waitFor();
  await page.getByText("Last set by").waitFor();
  await accessible(page, "history");
  await page.locator("figure circle").first().click();
  await page.waitForURL(/floor=/);
});

test("blame leads to its floor on the branch that is open, and is asked at any floor", async () => {
  const { page } = at;
  await page.to(`s/tale/history?branch=${encodeURIComponent(BRANCH)}&path=${encodeURIComponent("角色.生命值")}`);
  const link = page.locator(".blame").getByRole("link");
  await link.filter({ hasText: "#3" }).waitFor();
  assert.ok((await link.getAttribute("href")).includes("branch="));
  await page.getByLabel("Traced at floor").fill("2");
  await page.getByLabel("Traced at floor").press("Enter");
  await page.locator(".blame", { hasText: "template" }).waitFor();
  await page.reload();
  await page.locator(".blame", { hasText: "template" }).waitFor();
  await page.getByLabel("Traced at floor").fill("3");
  await page.getByLabel("Traced at floor").press("Enter");
  await link.filter({ hasText: "#3" }).click();
  await page.waitForURL((url) => url.href.includes("branch=") && url.href.includes("floor=3"));
});
