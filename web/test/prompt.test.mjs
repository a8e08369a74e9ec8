// The prompt preview and the kit as a person uses them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { accessible, eventually, newPage, open } from "./browser.mjs";
import { seedPrompt } from "./seed-tabs.mjs";

const { equal, match, ok, deepEqual } = assert;
const EVIL = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script> مرحبا`;
let place;
let page;
let client;
before(async () => {
  place = await open();
  client = place.client;
  await seedPrompt(client);
  // A floor that does not exist is asked for once, which the browser logs by itself.
  page = await newPage(place.browser, place.server.url, { allow: [/status of 404/] });
});
after(() => place?.close());

const output = () => page.getByRole("region", { name: "The text as it is rendered" });
const section = (name) => page.getByRole("region", { name, exact: true });
const shown = async (text) => output().getByText(text).waitFor();
const write = async (text) => page.getByRole("textbox", { name: "Text", exact: true }).fill(text);

test("an empty page teaches; an example fills it", async () => {
  await page.to("s/prompts/prompt");
  await page.getByText("A preview writes nothing.").waitFor();
  await accessible(page, "an empty prompt");
  await page.getByRole("button", { name: "Begin with an example" }).click();
  await shown("They have met before.");
  await page.getByRole("button", { name: "Messages" }).click();
  await page.getByRole("region", { name: "Message 2 as it is rendered" }).getByText("Hello, I am").waitFor();
  match(page.url(), /as=messages/);
  await page.getByRole("button", { name: "Text", exact: true }).click();
});

test("a text is rendered while it is typed, with its trace and its sizes", async () => {
  await write("{{getvar::mood}} {{view::status}} {{setvar::n::1}}{{.n}} 你好 {{unknownthing}} {{getvar::gone}}");
  await shown("她很亲密。");
  await shown("tense 络络:");
  await section("Sizes").getByRole("row", { name: /View status/ }).waitFor();
  await section("Sizes").getByRole("row", { name: /Everything else/ }).waitFor();
  const size = await section("Sizes").getByRole("row", { name: /All together/ }).textContent();
  const found = await client.prompts.preview("prompts", { text: await page.getByRole("textbox", { name: "Text", exact: true }).inputValue() });
  ok(size.includes(String(found.size.characters)) && size.includes(String(found.size.tokens_estimated)), size);

  // Warnings stand at their places, also behind characters of several bytes, and a click selects the place.
  await eventually(async () => deepEqual(await page.locator("mark.refused").allTextContents(), ["{{unknownthing}}"]));
  await eventually(async () => deepEqual(await page.locator("mark.repaired").allTextContents(), ["{{setvar::n::1}}", "{{getvar::gone}}"]));
  await eventually(async () => ok((await page.locator("mark.applied").allTextContents()).includes("{{getvar::mood}}")));
  await section("Worth a look").getByText("macro_unknown").waitFor();
  await section("Worth a look").getByRole("button", { name: "{{unknownthing}}" }).click();
  equal(await page.evaluate(() => document.activeElement.value.slice(document.activeElement.selectionStart, document.activeElement.selectionEnd)), "{{unknownthing}}");

  await section("What the macros would write").getByText("n", { exact: true }).waitFor();
  await section("Macros and variables used").getByText("setvar", { exact: true }).first().waitFor();
  const gone = section("Macros and variables used").getByRole("row", { name: /gone/ });
  await gone.getByText("no", { exact: true }).waitFor();
  await section("What was read").getByRole("link", { name: "Floor 2" }).waitFor();
  await accessible(page, "a prompt");
  await section("What was read").getByRole("link", { name: "snapshot" }).click();
  await page.waitForURL(/snapshots\?snapshot=/);
  await page.goBack();
  // What was typed is still there, also after a reload.
  await page.reload();
  await shown("她很亲密。");
});

test("a change elsewhere is rendered by itself; seed and time can be kept", async () => {
  await write("{{getvar::mood}} {{roll::1d1000000}}");
  await shown(/^tense \d+$/);
  const before = await output().textContent();
  await page.getByRole("button", { name: "Keep for the next preview" }).click();
  await page.waitForFunction((text) => document.querySelector('pre[role="region"]').textContent === text, before);
  await client.variables.put({ scope: "branch", session_id: "prompts", branch_id: "main", key: "mood", value: "calm" });
  await shown(/^calm \d+$/);
  await eventually(async () => equal((await output().textContent()).replace("calm", "tense"), before));
  await page.getByText("Names, seed and time").click();
  await page.getByLabel("Seed of chance").fill("");
  await page.getByLabel("Time, in ms since 1970").fill("");
  await page.getByLabel("Name of the user").fill("阿雪");
  await page.getByLabel("Name of the character").fill(EVIL);
  await write("{{user}} / {{char}}");
  await shown(`阿雪 / ${EVIL}`);
  equal(await page.evaluate(() => window.hacked), undefined);
  await page.getByLabel("Name of the character").fill("");
});

test("messages: added, moved, removed; each with its size", async () => {
  await page.to("s/prompts/prompt?as=messages");
  await page.getByRole("textbox", { name: "Message 1" }).fill("{{setvar::a::b}}first");
  while ((await page.getByRole("textbox", { name: /^Message/ }).count()) > 1) await page.getByRole("button", { name: "Remove message 2" }).click();
  await page.getByRole("button", { name: "Add a message" }).click();
  await page.getByLabel("Role of message 2").fill("user");
  await page.getByRole("textbox", { name: "Message 2" }).fill("你好 {{.a}}{{nobody}}");
  await page.getByRole("region", { name: "Message 2 as it is rendered" }).getByText("你好 b").waitFor();
  await eventually(async () => equal(await page.locator("mark.refused").textContent(), "{{nobody}}"));
  await section("Sizes").getByRole("row", { name: /2 · user/ }).waitFor();
  await page.getByRole("button", { name: "Move message 2 up" }).click();
  await page.getByRole("region", { name: "Message 1 as it is rendered" }).getByText("你好").waitFor();
  await eventually(async () => equal(await page.getByLabel("Role of message 1").inputValue(), "user"));
  await accessible(page, "messages");
});

test("seen from a fork at a floor, or from a page; staged on a page that is generated", async () => {
  await page.to("s/prompts/prompt");
  await write("{{vs_get::络络.亲密度}}");
  await shown("72");
  await page.getByLabel("Seen from").selectOption("fork");
  await page.getByLabel("Floor", { exact: true }).fill("0");
  await page.keyboard.press("Enter");
  await shown("42");
  await page.getByText("as a fork would see it").waitFor();
  match(page.url(), /from=fork.*floor=0|floor=0.*from=fork/);
  await page.getByLabel("Floor", { exact: true }).fill("99");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").waitFor();

  await client.floors.create({ id: "pf", session_id: "prompts" });
  await client.pages.create({ id: "pp", floor_id: "pf", page_kind: "output" });
  await client.floors.generate("pf");
  await page.to("s/prompts/prompt?from=page");
  await write("{{setvar::mood::wild}}{{setglobalvar::greeted::yes}}Hello.");
  await page.getByText("generating", { exact: true }).waitFor();
  await shown("Hello.");
  await page.getByRole("button", { name: "Render and stage" }).click();
  await section("Staged on the page").getByText("wild").waitFor();
  await accessible(page, "staged writes of a prompt");
  deepEqual((await client.variables.getPageStagedWrites("pp")).items.map((write) => [write.key, write.value]).sort(), [["greeted", "yes"], ["mood", "wild"]]);
  await client.floors.fail("pf");
});

test("another branch, and its name in the address", async () => {
  const floor = await client.sessions.getFloorByNumber("prompts", 0);
  await client.pages.fork(floor.page_id, { branch_id: "如果 / if" });
  await page.to("s/prompts/prompt");
  await write("{{vs_get::络络.亲密度}}");
  await page.getByLabel(/^Branch/).selectOption("如果 / if");
  await shown("42");
  ok(page.url().includes("branch="));
});

test("the kit: its parts with sizes, views, changes since a floor", async () => {
  await page.to("s/prompts/prompt/kit");
  await section("State").getByText("status", { exact: true }).waitFor();
  await section("Rules for commands").waitFor();
  await section("Functions").getByText("@.SET").first().waitFor();
  await section("Note about the last reply").getByText(/not_a_number|心情/).first().waitFor();
  const kit = await client.prompts.getKit("prompts");
  await eventually(async () => ok((await section("Sizes").getByRole("row", { name: /All together/ }).textContent()).includes(String(kit.size.characters))));
  await accessible(page, "kit");
  await page.getByRole("combobox", { name: "View" }).fill("brief");
  await page.keyboard.press("Enter");
  await section("State").getByText("brief").waitFor();
  await page.getByLabel("Changed since floor").fill("0");
  await page.keyboard.press("Enter");
  await section("State").getByText("changes since floor 0").waitFor();
  match(page.url(), /view=brief/);
  await page.getByRole("combobox", { name: "View" }).fill("nothing");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").getByText(/the profile has/).waitFor();
});

test("every view shows its request; Chinese, dark and a phone", async () => {
  const evil = await newPage(place.browser, place.server.url, { viewport: { width: 390, height: 844 }, hasTouch: true, language: "zh", theme: "dark" });
  await client.sessions.create({ id: "evil", title: EVIL, template: { [EVIL]: EVIL.repeat(3) } });
  await page.to("s/evil/prompt");
  await page.getByRole("textbox", { name: "Text", exact: true }).fill(`${EVIL}{{${EVIL}}}{{vs_stat_data}} ${"VeryLongWithoutSpaces".repeat(30)}`);
  await shown("<script>");
  await page.getByTitle("This page as a request").last().click();
  await eventually(async () => match(await page.locator("[popover]:popover-open pre").textContent(), /prompt-runtime\/preview/));
  await page.keyboard.press("Escape");
  equal(await page.evaluate(() => window.hacked), undefined);
  for (const hash of ["s/prompts/prompt?as=messages", "s/prompts/prompt/kit", "s/evil/prompt/kit", "s/evil/prompt"]) {
    await evil.to(hash);
    await evil.getByRole("link", { name: "提示词", exact: true }).waitFor();
    if (hash === "s/evil/prompt") await evil.getByRole("button", { name: "从示例开始" }).click();
    if (hash !== "s/prompts/prompt?as=messages") await evil.getByText("<script>", { exact: false }).first().waitFor({ state: "attached" });
    await evil.settled();
    ok(!(await evil.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth)), hash);
    await accessible(evil, `${hash} on a phone`);
    equal(await evil.evaluate(() => window.hacked), undefined);
  }
  await evil.finish();
});

test("the pages logged no errors", () => deepEqual(page.complaints, []));
