// What all pages have in common: the palette, requests to copy, texts that are only texts, a phone, the start.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accessible, eventually, newPage, open, until, withPage } from "./browser.mjs";

const at = withPage();
const { ok, equal, match } = assert;
const PAGES = ["sessions", "s/tale", "s/tale/snapshots", "s/tale/history", "s/tale/variables", "s/tale/settings", "variables", "characters/hana", "global-snapshots/bow", "settings/keys"];

test("the palette finds pages, sessions, characters, snapshots and floors", async () => {
  const { page } = at;
  const find = async (text, name, url) => {
    await page.keyboard.press("ControlOrMeta+k");
    await page.getByRole("textbox", { name: "Go to", exact: true }).fill(text);
    await page.getByRole("dialog").getByRole("link", { name }).first().waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(url);
  };
  await page.to("settings");
  await page.getByRole("heading", { name: "Settings" }).waitFor();
  await find("flagon", /Gilded Flagon/, /#\/s\/tale/);
  await find("#3", /#3/, /#\/s\/tale\?floor=3/);
  await find("floor snap", /Floor snapshots/, /#\/s\/tale\/snapshots/);
  await find("hana", /Hana/, /#\/characters\/hana/);
  await find("the bow", /after the bow/, /#\/global-snapshots\/bow/);
  await find("archive", /Archive/, /#\/settings\/archive/);
  await page.keyboard.press("?");
  await page.getByRole("dialog").getByText("next and previous floor").waitFor();
  await page.keyboard.press("Escape");
});

// The address changes at once, and the page a moment later: by then the palette may be open again.
test("the palette knows the session that is opened while it is there", async () => {
  const { page } = at;
  await page.to("settings");
  await page.getByRole("heading", { name: "Settings" }).waitFor();
  await page.keyboard.press("ControlOrMeta+k");
  await page.getByRole("textbox", { name: "Go to", exact: true }).fill("#3");
  await page.getByRole("dialog").getByText("Nothing found").waitFor();
  await page.to("s/tale");
  await page.getByRole("dialog").getByRole("link", { name: /#3/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(/#\/s\/tale\?floor=3/);
});

test("every page shows its request near its button", async () => {
  const { page } = at;
  for (const hash of PAGES) {
    await page.to(hash);
    await page.settled();
    const button = page.getByTitle("This page as a request").last();
    await button.click();
    const command = page.locator("[popover]:popover-open pre");
    await command.waitFor();
    await eventually(async () => match(await command.textContent(), /^curl .*http:\/\/127\.0\.0\.1/s));
    const [menu, from] = [await page.locator("[popover]:popover-open").boundingBox(), await button.boundingBox()];
    ok(menu.y - (from.y + from.height) < 12, `${hash}: the menu hangs under its button`);
    await page.keyboard.press("Escape");
  }
});

test("a page is copied as curl, TypeScript, JSON; a path from a difference", async () => {
  const { page } = at;
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await page.to("characters/hana");
  await page.getByRole("heading", { name: /Hana/ }).waitFor();
  await page.getByTitle("This page as a request").last().click();
  await page.getByRole("button", { name: "Copy as TypeScript" }).click();
  await until(async () => /client\.characters\.get\("hana"\)/.test(await copied()));
  await page.getByRole("button", { name: "Copy as JSON" }).click();
  await until(async () => (await copied()).startsWith("{"));
  equal(JSON.parse(await copied()).data.id, "hana");
  await page.keyboard.press("Escape");
  await page.to("s/tale?floor=2");
  await at.card(2).getByRole("button", { name: "Copy the path 角色.金币" }).click();
  await until(async () => (await copied()) === "角色.金币");
});

test("with keys, the copied request has a place for one", async () => {
  const own = await open();
  try {
    const { secret } = await own.client.keys.create({ name: "admin", role: "admin" });
    const page = await newPage(own.browser, own.server.url, { allow: [/status of 401/] });
    await page.to("settings/keys");
    await page.getByLabel("Key", { exact: true }).fill(secret);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByTitle("This page as a request").click();
    const command = await page.locator("[popover]:popover-open pre").textContent();
    ok(command.includes('-H "Authorization: Bearer $TAVERNKEEP_KEY"') && !command.includes(secret), command);
    await page.finish();
  } finally {
    await own.close();
  }
});

test("on a phone the list and the session are two screens and nothing scrolls sideways", async () => {
  const { browser, server } = at;
  const phone = await newPage(browser, server.url, { viewport: { width: 390, height: 844 }, hasTouch: true });
  await phone.to("sessions");
  await phone.getByRole("link", { name: /Gilded Flagon/ }).click();
  await phone.locator('[data-floor="2"]').waitFor();
  await eventually(async () => ok(!(await phone.getByRole("searchbox", { name: "Search sessions" }).isVisible())));
  for (const hash of PAGES) {
    await phone.to(hash);
    await phone.locator("h1:visible, h2:visible").first().waitFor();
    ok(!(await phone.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth)), hash);
    await accessible(phone, `${hash} on a phone`);
  }
  // Fingers see no tooltips: what can be done with a floor and with the session stands in a menu, by name.
  await phone.to("s/tale?floor=2");
  const floor = phone.locator('[data-floor="2"]');
  await floor.getByRole("button", { name: "Actions" }).click();
  for (const name of ["Open the snapshot", "Edit the text", "Fork from here", "Reprocess from here", "Delete this floor"]) await phone.getByRole("menuitem", { name }).waitFor();
  await accessible(phone, "the actions of a floor on a phone");
  await phone.getByRole("menuitem", { name: "Edit the text" }).click();
  await floor.getByRole("textbox", { name: "Text", exact: true }).waitFor();
  await floor.getByRole("button", { name: "Cancel" }).click();
  await phone.getByRole("button", { name: "Actions of the session" }).click();
  await phone.getByRole("menuitem", { name: "Archive the session" }).waitFor();
  await phone.keyboard.press("Escape");
  await phone.getByRole("link", { name: "Back" }).click();
  await phone.getByRole("searchbox", { name: "Search sessions" }).waitFor();
  await phone.finish();
});

test("an empty server teaches, also on a phone", async () => {
  const own = await open();
  try {
    for (const viewport of [{ width: 1280, height: 800 }, { width: 390, height: 844 }]) {
      const page = await newPage(own.browser, own.server.url, { viewport });
      for (const [hash, text, button] of [
        ["sessions", "There are no sessions yet.", "New session"],
        ["characters", "A character has a template", "New character"],
        ["global-snapshots", "Save a state here", "New global snapshot"],
      ]) {
        await page.to(hash);
        await page.getByText(text, { exact: false }).waitFor();
        await page.getByRole("button", { name: button }).waitFor();
        await accessible(page, `empty ${hash}`);
      }
      await page.finish();
    }
  } finally {
    await own.close();
  }
});

test("the demo is walked through, also on a phone", async () => {
  const own = await open(["--demo"]);
  try {
    for (const viewport of [{ width: 1280, height: 800 }, { width: 390, height: 844 }]) {
      const page = await newPage(own.browser, own.server.url, { viewport });
      await page.to("sessions");
      await page.getByRole("link", { name: "Open the demo conversation" }).waitFor();
      await page.getByRole("button", { name: "Take the short tour" }).click();
      const tour = page.getByRole("region", { name: "Tour" });
      const shown = [
        () => page.locator('[data-floor="2"] mark.refused').waitFor(),
        () => page.getByRole("button", { name: "the road at night" }).waitFor(),
        () => page.getByText("the storm begins earlier").waitFor(),
        () => page.locator("figure path").nth(3).waitFor(),
        () => page.getByText("she offered it").waitFor(),
        () => page.getByRole("textbox", { name: "Greeting 2" }).waitFor(),
      ];
      for (const [step, wait] of shown.entries()) {
        await tour.getByText(`${step + 1} of ${shown.length}`).waitFor();
        await wait();
        await accessible(page, `tour ${step}`);
        // The keyboard alone leads through it, and so does a finger.
        if (step === shown.length - 1) continue;
        if (viewport.width > 1000) await page.keyboard.press("Enter");
        else await tour.getByRole("button", { name: "Next" }).click();
      }
      await tour.getByRole("button", { name: "End the tour" }).click();
      await tour.waitFor({ state: "detached" });
      await page.finish();
    }
    const page = await newPage(own.browser, own.server.url);
    await page.to("s/demo");
    await page.locator('[data-floor="5"]').waitFor();
    await page.waitForFunction(() => {
      const box = document.querySelector('[role="feed"]');
      return box.scrollHeight - box.scrollTop - box.clientHeight < 2;
    });
    await page.locator('[data-floor="0"]').getByText("swipe 1/2").waitFor();
    await page.locator('[data-floor="2"]').getByText("swipe 2/2").waitFor();
    await page.locator('[data-floor="5"]').getByText("edited").waitFor();
    await page.finish();
  } finally {
    await own.close();
  }
});
