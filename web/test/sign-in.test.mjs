// Signing in with a key, and out again.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { TavernkeepClient } from "../../sdk/typescript/packages/sdk/dist/index.js";
import { accessible, newPage, open } from "./browser.mjs";

let place;
before(async () => (place = await open()));
after(() => place?.close());
// The browser logs refused requests by itself.
const allow = [/status of 40[13]/];

test("the first key closes the server and signs this browser in", async () => {
  const page = await newPage(place.browser, place.server.url, { allow });
  await page.to("settings/keys");
  await page.getByText("This server needs no key on this machine.", { exact: false }).waitFor();
  await accessible(page, "keys of an open server");
  await page.getByLabel("Name").fill("me");
  await page.getByLabel("Role").selectOption("admin");
  await page.getByRole("button", { name: "Create key" }).click();
  const secret = await page.locator(".secret").textContent();
  assert.match(secret, /^tk_/);
  await page.keyboard.press("Escape");
  await page.getByText("Signed in to account default-admin as admin").waitFor();
  const [cookie] = await page.context().cookies();
  assert.equal(cookie.httpOnly, true);
  assert.equal(cookie.sameSite, "Strict");
  assert.ok(cookie.expires * 1000 > Date.now() && !cookie.value.includes(secret));
  assert.equal((await fetch(`${place.server.url}/sessions`)).status, 401);

  const other = await newPage(place.browser, place.server.url, { allow });
  await other.to("sessions");
  await other.getByLabel("Key", { exact: true }).fill("tk_wrong");
  await other.getByRole("button", { name: "Sign in" }).click();
  await other.getByRole("alert").waitFor();
  await accessible(other, "sign in");
  await other.getByLabel("Key", { exact: true }).fill(secret);
  await other.getByLabel("Stay signed in for").selectOption("7");
  await other.getByRole("button", { name: "Sign in" }).click();
  await other.getByRole("link", { name: "Settings", exact: true }).click();
  await other.getByRole("link", { name: "Keys" }).click();
  await other.getByText("this browser").waitFor();
  await accessible(other, "keys");

  // The other browser is signed out from here, and its next step shows it.
  await page.reload();
  await page.getByText("this browser").waitFor();
  await page.locator("section", { hasText: "Signed-in browsers" }).getByRole("button", { name: "Sign out" }).first().click();
  await other.reload();
  await other.getByRole("button", { name: "Sign in" }).waitFor();
  await page.getByRole("button", { name: "Sign out" }).first().click();
  await page.getByRole("button", { name: "Sign in" }).waitFor();
  assert.deepEqual(await page.context().cookies(), []);

  const keyed = new TavernkeepClient({ baseUrl: place.server.url, key: secret });
  assert.deepEqual((await keyed.account.listBrowsers()).data, []);
  await other.finish();
  await page.finish();
});

test("a key that only reads sees no buttons that write", async () => {
  const own = await open();
  try {
    await own.client.sessions.create({ id: "tale", template: { n: 0 } });
    await own.client.sessions.createTurn("tale", { role: "assistant", content: '@.ADD("n", 1);' });
    const { secret } = await own.client.keys.create({ name: "admin", role: "admin" });
    const admin = new TavernkeepClient({ baseUrl: own.server.url, key: secret });
    const reader = await admin.keys.create({ name: "reader", role: "read" });
    const page = await newPage(own.browser, own.server.url, { allow });
    await page.to("s/tale");
    await page.getByLabel("Key", { exact: true }).fill(reader.secret);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.locator('[data-floor="0"]').waitFor();
    for (const name of ["New", "Process", "Delete this floor", "Fork from here", "Send"]) {
      assert.equal(await page.getByRole("button", { name, exact: true }).count(), 0, name);
    }
    // Revoking the key signs the browser out.
    await admin.keys.revoke(reader.id);
    await page.reload();
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    await page.finish();
  } finally {
    await own.close();
  }
});

test("the console works behind a base path", async () => {
  const own = await open(["--set", "base_path=/tavern"], "/tavern");
  try {
    await own.client.sessions.create({ id: "tale" });
    await own.client.sessions.createTurn("tale", { role: "assistant", content: "Behind a proxy." });
    const page = await newPage(own.browser, own.server.url);
    await page.goto(own.server.url);
    assert.ok(page.url().includes("/tavern/console/"));
    await page.to("s/tale");
    await page.getByText("Behind a proxy.").waitFor();
    await page.getByText("Live").waitFor();
    await page.finish();
  } finally {
    await own.close();
  }
});
