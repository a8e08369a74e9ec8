// The library of functions and the messages about failures, as a person uses them.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { accessible, eventually, newPage, open, seed, seedFunctions, seedHostileFunctions, until } from "./browser.mjs";

let place;
let page;
before(async () => {
  place = await open();
  await seed(place.client);
  await seedFunctions(place.client);
  await place.client.characters.create({ id: "ren", name: "Ren", template: { hp: 9007199254740993n } });
  // Refused requests are part of these stories; the browser logs them by itself.
  page = await newPage(place.browser, place.server.url, { allow: [/status of (400|404|412)/] });
});
after(() => place?.close());

const { ok, equal, deepEqual, match } = assert;
const HANA = { scope: "character", character_id: "hana" };
const card = (id, on = page) => on.locator(`[data-function="${id}"]`);
const own = async (query = {}) => (await place.client.functions.list({ limit: 100, ...query })).data.filter((one) => !one.builtin && !one.starter);
const order = (on = page) => on.locator("ol [data-function]").evaluateAll((cards) => cards.map((one) => one.dataset.function));
const sorted = (ids) => until(async () => JSON.stringify((await own()).toSorted((left, right) => left.order - right.order).map((one) => one.id)) === JSON.stringify(ids));
const ready = (on = page) => on.locator('.code[data-ready="true"]').waitFor();
async function type(code, on = page) {
  await ready(on);
  await on.locator(".cm-content").click();
  await on.keyboard.press("ControlOrMeta+a");
  await on.keyboard.insertText(code);
}
const choose = (name, item) => page.getByRole("menu", { name }).getByRole("menuitem", { name: item });

test("the library: cards with all that they say, searched; the code editor is not loaded before it is needed", async () => {
  const loaded = [];
  page.on("request", (request) => loaded.push(request.url()));
  await page.to("sessions");
  await page.getByRole("link", { name: "Functions" }).click();
  await page.getByRole("heading", { name: "Function library" }).waitFor();
  const heal = card("heal");
  await heal.getByText("active", { exact: true }).waitFor();
  await heal.getByText("order 0").waitFor();
  await heal.getByText("heals, up to 100").waitFor();
  await heal.getByText("@.HEAL(amount);").waitFor();
  await heal.getByRole("link", { name: "Edit HEAL" }).waitFor();
  await heal.getByRole("button", { name: "Delete HEAL" }).waitFor();
  await heal.getByRole("button", { name: /^Move HEAL/ }).waitFor();
  equal(await heal.getByRole("switch", { name: "HEAL on" }).getAttribute("aria-checked"), "true");
  await card("dusk").getByText("passive", { exact: true }).waitFor();
  await card("dusk").getByText("after active functions").waitFor();
  await card("own-set").getByText("`SET` is built in too; calls by name go to this function").waitFor();
  equal(await card("own-set").getByRole("link", { name: "Show" }).getAttribute("href"), "#/functions/builtin%3ASET");
  for (const name of ["SET", "ADD", "SUB", "APPEND", "REMOVE", "ASSIGN", "UNSET", "TIME"]) await card(`builtin:${name}`).waitFor();
  await card("starter:clamp").waitFor();
  deepEqual(loaded.filter((url) => /code-mirror|vanilla-jsoneditor/.test(url)), []);
  await accessible(page, "functions");

  await page.keyboard.press("/");
  await page.keyboard.type("gold");
  await card("heal").waitFor({ state: "detached" });
  await card("spend").waitFor();
  ok(page.url().includes("q=gold"));
  await eventually(async () => ok(await card("spend").getByRole("button", { name: /^Move/ }).isDisabled()));
  await page.getByRole("searchbox").fill("");
  await card("heal").waitFor();
  await page.getByRole("button", { name: "curl" }).first().click();
  await page.getByText(/curl 'http.*\/functions'/).waitFor();
  await page.keyboard.press("Escape");
});

test("the palette finds functions", async () => {
  await page.to("sessions");
  await page.getByRole("heading", { name: "Welcome" }).waitFor();
  await page.keyboard.press("ControlOrMeta+k");
  await page.getByRole("textbox", { name: "Go to" }).fill("spend");
  await page.getByRole("dialog").getByRole("link", { name: "ƒ spend gold" }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(/#\/functions\/spend/);
  await page.getByRole("heading", { name: "spend gold" }).waitFor();
});

test("switches count at once, also of what comes with the program", async () => {
  await page.to("functions");
  await page.getByRole("switch", { name: "HEAL on" }).click();
  await until(async () => (await place.client.functions.get("heal")).enabled === false);
  equal(await page.getByRole("switch", { name: "HEAL on" }).getAttribute("aria-checked"), "false");
  await page.getByRole("switch", { name: "HEAL on" }).press("Space");
  await until(async () => (await place.client.functions.get("heal")).enabled);
  await page.getByRole("switch", { name: "UNSET on" }).click();
  await until(async () => !(await place.client.functions.get("builtin:UNSET")).enabled);
  await page.getByText("7 of 8 on").waitFor();
  await page.getByRole("switch", { name: "clamp on" }).click();
  await until(async () => (await place.client.functions.get("starter:clamp")).enabled);

  // What is off for the account is off for every character.
  await page.to("functions?character=hana");
  await eventually(async () => ok(await page.getByRole("switch", { name: "UNSET on" }).isDisabled()));
  await place.client.functions.update("builtin:UNSET", { enabled: true });
  await until(() => page.getByRole("switch", { name: "UNSET on" }).isEnabled());
  await place.client.functions.update("starter:clamp", { enabled: false });
});

test("sorted by dragging the handle and by the keyboard", async () => {
  await page.to("functions");
  await card("own-set").waitFor();
  deepEqual(await order(), ["heal", "spend", "dusk", "own-set"]);
  const from = await card("heal").getByRole("button", { name: /^Move HEAL/ }).boundingBox();
  const to = await card("dusk").boundingBox();
  await page.mouse.move(from.x + 8, from.y + 8);
  await page.mouse.down();
  await page.mouse.move(from.x + 8, from.y + 60, { steps: 4 });
  await page.mouse.move(from.x + 8, to.y + to.height - 8, { steps: 6 });
  await page.locator("li.lifted").waitFor();
  await page.mouse.up();
  await sorted(["spend", "dusk", "heal", "own-set"]);
  deepEqual(await order(), ["spend", "dusk", "heal", "own-set"]);

  // Escape puts it back.
  const again = await card("spend").getByRole("button", { name: /^Move/ }).boundingBox();
  await page.mouse.move(again.x + 8, again.y + 8);
  await page.mouse.down();
  await page.mouse.move(again.x + 8, again.y + 300, { steps: 5 });
  await page.keyboard.press("Escape");
  await page.mouse.up();
  deepEqual(await order(), ["spend", "dusk", "heal", "own-set"]);

  await card("heal").getByRole("button", { name: /^Move HEAL/ }).focus();
  await page.keyboard.press("ArrowUp");
  await sorted(["spend", "heal", "dusk", "own-set"]);
  await page.getByText("HEAL is now 2 of 4").waitFor({ state: "attached" });
  await page.keyboard.press("ArrowUp");
  await sorted(["heal", "spend", "dusk", "own-set"]);
  await page.keyboard.press("End");
  await sorted(["spend", "dusk", "own-set", "heal"]);
  // Keys that follow fast arrive in their order.
  for (const key of ["Home", "ArrowDown", "ArrowDown", "ArrowUp", "End", "Home"]) await page.keyboard.press(key);
  await sorted(["heal", "spend", "dusk", "own-set"]);
  await until(async () => (await order())[0] === "heal");
  equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), "Move HEAL; arrow keys sort");
  await card("heal").getByText("order 1").waitFor();
});

test("copied and moved between the libraries by a menu: right click, keyboard, button", async () => {
  await page.to("functions");
  await card("spend").click({ button: "right", position: { x: 400, y: 40 } });
  await choose("spend gold", "Copy to a character…").waitFor();
  await accessible(page, "menu");
  await choose("spend gold", "Copy to a character…").click();
  await page.getByRole("dialog").getByLabel("Character").selectOption("hana");
  await accessible(page, "copy to a character");
  await page.getByRole("dialog").getByRole("button", { name: "Copy", exact: true }).click();
  await page.getByText("“spend gold” was copied to 花 Hana; the copy is off").waitFor();
  const copied = (await own(HANA)).find((one) => one.name === "spend gold");
  deepEqual([copied.enabled, copied.pattern], [false, "/spends? (\\d+) gold/gi"]);

  // The keyboard: the menu opens at the button, arrows move, Escape closes and the focus returns.
  await page.to("functions?character=hana");
  const more = card("kiss").getByRole("button", { name: "More for KISS" });
  await more.focus();
  await page.keyboard.press("Enter");
  await choose("KISS", "Edit").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("menu").waitFor({ state: "detached" });
  equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), "More for KISS");
  await page.keyboard.press("Enter");
  await choose("KISS", "Edit").waitFor();
  for (let presses = 0; presses < 4; presses += 1) await page.keyboard.press("ArrowDown");
  equal(await page.evaluate(() => document.activeElement.textContent), "Move to global");
  await page.keyboard.press("Enter");
  await page.getByText("“KISS” was moved to Global").waitFor();
  await card("kiss").waitFor({ state: "detached" });
  equal((await place.client.functions.get("kiss")).scope, "global");
  await page.getByRole("button", { name: "Undo" }).last().click();
  await card("kiss").waitFor();
  equal((await place.client.functions.get("kiss", HANA)).character_id, "hana");

  await card("kiss").getByRole("button", { name: "More for KISS" }).click();
  await choose("KISS", "Copy to global").click();
  await page.getByText("“KISS” was copied to Global; the copy is off").waitFor();
  // Within one library, and as a file.
  await card("kiss").getByRole("button", { name: "More for KISS" }).click();
  const [file] = await Promise.all([page.waitForEvent("download"), choose("KISS", "Export").click()]);
  equal(file.suggestedFilename(), "KISS.json");
  deepEqual(JSON.parse(await readFile(await file.path(), "utf8")).functions.map((one) => one.name), ["KISS"]);
  await card("kiss").getByRole("button", { name: "More for KISS" }).click();
  await choose("KISS", "Copy within this library").click();
  await until(async () => (await own(HANA)).filter((one) => one.name === "KISS").length === 2);
  await place.client.functions.delete((await own(HANA)).find((one) => one.name === "KISS" && one.id !== "kiss").id);
  const global = (await own()).find((one) => one.name === "KISS");
  equal(global.enabled, false);
  await place.client.functions.delete(global.id);
});

test("a character's library: chosen, with what counts from the account", async () => {
  await page.to("functions");
  await page.getByLabel("Functions of a character").selectOption({ label: "花 Hana" });
  await card("kiss").waitFor();
  ok(page.url().includes("character=hana"));
  await page.getByText("4 functions of the account count here too.").waitFor();
  await accessible(page, "functions of a character");
  await page.reload();
  await card("kiss").waitFor();
  await page.getByRole("link", { name: "Global" }).click();
  await card("heal").waitFor();
  await page.goBack();
  await card("kiss").waitFor();
  await page.to("functions?character=nobody");
  await page.getByText("Character 'nobody' not found").waitFor();
  await page.to("characters/hana");
  await page.getByRole("main").getByRole("link", { name: "Functions" }).click();
  await card("kiss").waitFor();
});

test("a function is written, tested and saved; errors stand at their place", async () => {
  await page.to("functions");
  await page.getByRole("link", { name: "New function" }).click();
  await ready();
  await page.getByLabel("Name").fill("two words");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText(/its name must consist of letters, digits and _/).first().waitFor();
  equal(await page.getByLabel("Name").getAttribute("aria-invalid"), "true");
  await accessible(page, "editor with an error");

  // A pattern, and what it finds.
  await page.getByLabel(/^Pattern/).fill("gift of (\\d+) (\\w+");
  await page.getByLabel("Example text").fill('A gift of 5 gold, then a gift of 12 silver.');
  await page.locator("[data-tester]").getByText(/Unterminated group/).waitFor();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText(/is no JavaScript pattern/).first().waitFor();
  await page.getByLabel(/^Pattern/).fill("gift of (\\d+) (\\w+)");
  await page.locator("[data-tester]").getByText("2 matches").waitFor();
  await eventually(async () => deepEqual(await page.locator("[data-tester] mark").allTextContents(), ["gift of 5 gold", "gift of 12 silver"]));
  await page.getByText('args = [5,"gold"]').waitFor();
  await page.getByLabel("Example text").fill("A gift of 9007199254740993 gold.");
  await page.getByText('args = [9007199254740993,"gold"]').waitFor();
  await page.getByLabel("Example text").fill("A gift of 5 gold, then a gift of 12 silver.");
  await page.getByLabel(/^Pattern/).fill("/GIFT of (\\d+) (\\w+)/i");
  await page.locator("[data-tester]").getByText("1 match").waitFor();
  // A pattern that would run for ever does not stop the page.
  await page.getByLabel("Example text").fill(`${"a".repeat(40)}!`);
  await page.getByLabel(/^Pattern/).fill("(a+)+$");
  await page.getByText("The pattern takes too long on this text").waitFor();
  await page.getByLabel(/^Pattern/).fill("gift of (\\d+) (\\w+)");
  await page.getByLabel("Example text").fill('A gift of 5 gold, then a gift of 12 silver.');

  // Code that cannot be read: the place is marked, saving asks.
  await type('const [count, what] = args;\n/* 金币 */ const now = snapshot[what] +;\n');
  await page.locator("[data-code-problem]").getByText("Line 2").waitFor();
  await page.locator(".cm-lintRange-error").waitFor();
  await eventually(async () => equal(await page.locator(".cm-lintRange-error").textContent(), ";"));
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("button", { name: "Save anyway" }).waitFor();
  await type('const [count, what] = args;\nconsole.log("gift", what);\nif (what === "silver") nosuch();\nsnapshot[what] = (snapshot[what] ?? 0) + count;\n');
  await page.locator("[data-code-problem]").waitFor({ state: "detached" });

  // The bench: calls, logs, what changed, and the place of what threw.
  await page.getByLabel("State before").fill("{gold");
  await page.getByRole("button", { name: "Run" }).click();
  await page.locator(".bench [role=alert]").waitFor();
  await page.getByLabel("State before").fill('{"gold": 1, "n": 1}');
  await page.getByRole("button", { name: "Run" }).click();
  const result = page.locator("[data-bench-result]");
  await result.getByText("2 calls").waitFor();
  await result.getByText('two words(12, "silver")').waitFor();
  await result.getByText("gift silver").waitFor();
  await result.getByText("script_failed").waitFor();
  await page.locator("[data-code-problem]").getByText("Line 3, column 24").waitFor();
  await eventually(async () => equal(await page.locator(".cm-lintRange-error").textContent(), "nosuch"));
  await accessible(page, "test bench");
  await type('const [count, what] = args;\nsnapshot[what] = (snapshot[what] ?? 0) + count;\n');
  await page.getByLabel("State before").fill('{"gold": 1, "big": 9007199254740993}');
  await page.keyboard.press("ControlOrMeta+Enter");
  await result.getByText("(+5)").waitFor();
  await result.getByText("State after").click();
  await result.getByText('"big": 9007199254740993').waitFor();

  await page.getByLabel("Description").fill("Counts gifts.");
  await page.keyboard.press("ControlOrMeta+s");
  await page.getByText("Saved", { exact: true }).waitFor();
  await page.waitForURL(/#\/functions\/[^?]+$/);
  // Cancel leaves without a trace.
  const address = page.url();
  await page.to("functions?new=1");
  await ready();
  await page.getByLabel("Name").fill("NEVER");
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("link", { name: "New function" }).click();
  await ready();
  await eventually(async () => equal(await page.getByLabel("Name").inputValue(), ""));
  await page.goto(address);
  await ready();
  const made = (await own()).find((one) => one.name === "two words");
  deepEqual([made.pattern, made.description, made.enabled, made.order], ["gift of (\\d+) (\\w+)", "Counts gifts.", true, 5]);

  // Another type loses the pattern.
  await page.getByLabel("passive: runs in every turn").check();
  await page.getByLabel("before active functions").check();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await until(async () => (await place.client.functions.get(made.id)).timing === "before_active");
  equal((await place.client.functions.get(made.id)).pattern, null);
  await place.client.functions.delete(made.id);
});

test("the bench takes the state of a session, runs others too, and has chance", async () => {
  await page.to("functions/heal");
  await ready();
  await page.getByLabel("State and last reply of a session").selectOption("tale");
  await until(async () => (await page.getByLabel("State before").inputValue()).includes("9007199254740993"));
  await page.getByRole("textbox", { name: "Reply" }).fill("@.HEAL(30); She spends 5 gold.");
  await page.getByLabel("with the others that are on (3)").check();
  await page.getByRole("button", { name: "Run" }).click();
  const calls = page.locator(".bench .calls li");
  await calls.nth(2).waitFor();
  await eventually(async () => deepEqual(await calls.locator(".call").allTextContents(), ["HEAL(30)", "spend gold(5)", "时间推进()"]));
  await page.getByText("2024年10月26日 21:00").first().waitFor();
  await page.to("functions/starter:roll");
  await ready();
  await page.getByRole("textbox", { name: "Reply" }).fill('@.ROLL("dice", "1d1000");');
  const throwDice = async (seed) => {
    await page.getByLabel("seed").fill(seed);
    await page.getByRole("button", { name: "Run" }).click();
    await page.locator("[data-bench-result] ins").first().waitFor();
    return page.locator("[data-bench-result] ins").first().textContent();
  };
  const first = await throwDice("1");
  await page.getByLabel("seed").fill("2");
  await page.getByRole("button", { name: "Run" }).click();
  await until(async () => (await page.locator("[data-bench-result] ins").first().textContent()) !== first);
});

test("built-in functions and starters are looked at and copied, not changed", async () => {
  await page.to("functions");
  await card("builtin:ADD").getByRole("link", { name: "ADD" }).click();
  await ready();
  await page.getByText("The engine does this function itself.").waitFor();
  equal(await page.getByRole("button", { name: "Save", exact: true }).count(), 0);
  ok(await page.getByLabel("Name").evaluate((input) => input.readOnly));
  await page.getByRole("button", { name: "Run" }).click();
  await page.locator("[data-bench-result]").getByText("ADD(").waitFor();
  await accessible(page, "a built-in function");
  await page.getByRole("link", { name: "← Functions" }).click();
  await card("starter:clamp").getByRole("button", { name: "Copy clamp" }).click();
  await page.waitForURL(/#\/functions\/[0-9a-f-]{36}$/);
  await ready();
  await page.getByLabel("Name").fill("gold in range");
  await page.getByLabel("Switched on").check();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await until(async () => (await own()).some((one) => one.name === "gold in range" && one.enabled && one.executor.includes("_.clamp")));
  await page.getByRole("link", { name: "← Functions" }).click();
  const made = (await own()).find((one) => one.name === "gold in range");

  // Deleted, and back again with its place and code.
  await card(made.id).getByRole("button", { name: "Delete gold in range" }).click();
  await page.getByText("“gold in range” was deleted").waitFor();
  await card(made.id).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo" }).last().click();
  await card(made.id).waitFor();
  const again = await place.client.functions.get(made.id);
  deepEqual([again.name, again.executor, again.order, again.enabled], [made.name, made.executor, made.order, true]);
  await place.client.functions.delete(made.id);
});

test("what was typed survives a look elsewhere, and a change elsewhere does not overwrite it", async () => {
  await page.to("functions/spend");
  await ready();
  await page.getByLabel("Description").fill("My own words");
  await page.getByRole("link", { name: "Variables" }).click();
  await page.getByRole("heading", { name: "Variables" }).waitFor();
  await page.getByRole("link", { name: "Functions", exact: true }).click();
  await card("spend").getByRole("link", { name: "Edit spend gold" }).click();
  await page.getByText("What you had typed and not saved is here again.").waitFor();
  equal(await page.getByLabel("Description").inputValue(), "My own words");

  await place.client.functions.update("spend", { name: "spend a lot", description: "Their words" });
  await page.getByText("Changed meanwhile.").waitFor();
  await page.getByText("Your changes").waitFor();
  await accessible(page, "changed meanwhile");
  await page.getByRole("button", { name: "Apply my changes on top" }).click();
  await eventually(async () => equal(await page.getByLabel("Name").inputValue(), "spend a lot"));
  equal(await page.getByLabel("Description").inputValue(), "My own words");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await until(async () => (await place.client.functions.get("spend")).description === "My own words");
  equal((await place.client.functions.get("spend")).name, "spend a lot");
  await place.client.functions.update("spend", { name: "spend gold" });
  // Nothing typed: the change appears by itself.
  await until(async () => (await page.getByLabel("Name").inputValue()) === "spend gold");
});

test("files: imported by the button and by dropping, off at first; a wrong one says where; a selection is exported", async () => {
  await page.to("functions?character=ren");
  await page.getByText("Ren has no functions of its own.").waitFor();
  const file = { version: "1.0", functions: [
    { id: "uuid-xxx", name: "时间推进", type: "passive", enabled: true, order: 1, timing: "after_active", description: "每回合时间自动推进1小时", executor: "// nothing" },
    { id: "uuid-yyy", name: "GIVE", type: "active", enabled: true, order: 1, pattern: '@\\.GIVE\\("([^"]+)"\\);?', description: "gives", executor: "snapshot.given = args[0];" },
  ] };
  const upload = (content, name = "functions.json") => page.getByLabel("File of functions").setInputFiles({ name, mimeType: "application/json", buffer: Buffer.from(content) });
  await upload(JSON.stringify(file));
  await page.getByText("2 functions were imported; they are off until you switch them on").waitFor();
  const REN = { scope: "character", character_id: "ren" };
  let list = await own(REN);
  deepEqual(list.map((one) => [one.name, one.enabled]).toSorted(), [["GIVE", false], ["时间推进", false]]);
  ok(list.every((one) => !one.id.startsWith("uuid-")));
  await eventually(async () => equal(await page.locator("article.new").count(), 2));

  await upload(JSON.stringify({ version: "1.0", functions: [{ name: "x", type: "odd", executor: "" }] }), "wrong.json");
  await page.getByText("wrong.json was not imported").waitFor();
  await page.getByText(/\/functions\/0\/type: must be equal to one of/).waitFor();
  await upload("{not json", "broken.json");
  await page.getByText("broken.json was not imported").waitFor();
  await accessible(page, "an import that failed");
  equal((await own(REN)).length, 2);

  // Dropped on the page.
  const data = await page.evaluateHandle((text) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([text], "dropped.json", { type: "application/json" }));
    return transfer;
  }, JSON.stringify({ version: "1.0", functions: [{ name: "DROPPED", type: "active", executor: "" }] }));
  await page.locator("main").dispatchEvent("dragover", { dataTransfer: data });
  await page.getByText("Drop the file to import its functions into Ren").waitFor();
  await page.locator("main").dispatchEvent("drop", { dataTransfer: data });
  await page.getByText("1 function was imported").waitFor();
  await page.getByRole("article", { name: "DROPPED" }).waitFor();
  await page.getByText(/Drop the file/).waitFor({ state: "detached" });

  await page.getByRole("button", { name: "Export", exact: true }).click();
  await page.getByText("3 functions selected").waitFor();
  await page.getByRole("checkbox", { name: "Select 时间推进" }).uncheck();
  await page.getByRole("checkbox", { name: "Select SET" }).check();
  await page.getByText("3 functions selected").waitFor();
  await page.getByRole("checkbox", { name: "Select DROPPED" }).uncheck();
  await page.getByText("2 functions selected").waitFor();
  await accessible(page, "export");
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Export the selection" }).click()]);
  match(download.suggestedFilename(), /^functions-ren\.json$/);
  const exported = JSON.parse(await readFile(await download.path(), "utf8"));
  equal(exported.version, "1.0");
  deepEqual(exported.functions.map((one) => one.name).toSorted(), ["GIVE", "SET"]);
  // The file comes in again.
  await upload(JSON.stringify(exported));
  await page.getByText("2 functions were imported").last().waitFor();
});

test("the prompt generator: shown, copied, closed", async () => {
  const context = page.context();
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.to("functions");
  await page.getByRole("button", { name: "Generate prompt" }).click();
  const dialog = page.getByRole("dialog", { name: "Prompt of the functions" });
  await dialog.getByText("@.HEAL(amount);").waitFor();
  await accessible(page, "prompt generator");
  await dialog.getByRole("button", { name: "Copy to the clipboard" }).click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  equal(copied, (await place.client.functions.getPrompt()).prompt);
  match(copied, /^<variable_system_functions>/);
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await dialog.waitFor({ state: "detached" });
});

test("failures appear as a message that leads to the floor: of turns from here and from elsewhere", async () => {
  await place.client.functions.create({ id: "breaks", name: "BREAK", type: "active", executor: 'throw new Error("no");' });
  await place.client.functions.create({ id: "tick", name: "滴答", type: "passive", timing: "after_active", executor: "nosuch();" });
  await place.client.sessions.create({ id: "fails", title: "It fails", template: { hp: 1 } });
  const floors = Array.from({ length: 30 }, (_, no) => ({ role: "user", swipes: [{ content: `Line ${no}` }] }));
  await place.client.sessions.sync("fails", { floors });
  await page.to("s/fails");
  await page.getByText("Line 29").waitFor();
  await page.getByRole("combobox", { name: "Role" }).selectOption("assistant");
  await page.getByRole("textbox", { name: "Write a message" }).fill('@.BREAK(1); @.BREAK(2); @.ADD("hp", "x");');
  await page.getByRole("button", { name: "Send" }).click();
  const log = page.getByRole("log");
  await log.getByText("4 calls failed: BREAK ×2, ADD, 滴答").waitFor();
  // The event of the same turn says nothing new.
  await place.client.sessions.createTurn("fails", { role: "user", content: "And then?" });
  await page.getByText("And then?").waitFor();
  await eventually(async () => equal(await log.getByText("4 calls failed").count(), 1));

  const turn = await place.client.sessions.createTurn("fails", { role: "assistant", content: "From elsewhere. @.BREAK(3);" });
  const toast = log.locator(".toast").filter({ hasText: "2 calls failed: BREAK, 滴答" });
  await toast.waitFor();
  await page.to("s/fails?floor=0");
  await page.getByText("Line 0", { exact: true }).waitFor();
  await toast.getByRole("button", { name: "Show" }).click();
  await page.waitForURL(new RegExp(`floor=${turn.floor_no}`));
  await page.locator(`[data-floor="${turn.floor_no}"]`).getByText(/script_failed/).first().waitFor();

  // On another tab of the session, and for a swipe; not for a session one does not look at.
  await page.to("s/fails/history");
  await place.client.sessions.createTurn("tale", { role: "assistant", content: "@.BREAK(1); @.BREAK(1); @.BREAK(1);" });
  await place.client.sessions.createTurn("fails", { role: "assistant", content: '@.SUB("hp", "y"); @.SUB("hp", "z");', swipe_of: turn.floor_id });
  await log.getByText("3 calls failed: SUB ×2, 滴答").waitFor();
  equal(await log.getByText("BREAK ×3").count(), 0);
  await accessible(page, "failures");
  // They stay in the log.
  await page.getByRole("link", { name: "Settings", exact: true }).click();
  await page.getByRole("link", { name: "Messages" }).click();
  await page.getByRole("main").getByText(/3 calls failed/).waitFor();
  for (const id of ["breaks", "tick"]) await place.client.functions.delete(id);
});

test("live: what happens to the library elsewhere appears by itself", async () => {
  await page.to("functions");
  await card("heal").waitFor();
  await place.client.functions.create({ id: "elsewhere", name: "ELSEWHERE", type: "active", executor: "" });
  await card("elsewhere").waitFor();
  await place.client.functions.update("elsewhere", { description: "from another hand" });
  await card("elsewhere").getByText("from another hand").waitFor();
  await place.client.functions.delete("elsewhere");
  await card("elsewhere").waitFor({ state: "detached" });
});

test("a phone in Chinese and dark: nothing scrolls sideways; sorted and moved by touch", async () => {
  const phone = await newPage(place.browser, place.server.url, { language: "zh", theme: "dark", viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const fits = async (what) => ok(await phone.evaluate(() => document.documentElement.scrollWidth <= innerWidth && [...document.querySelectorAll(".page")].every((one) => one.scrollWidth <= one.clientWidth + 1)), `${what} scrolls sideways`);
  await phone.to("functions");
  await phone.getByRole("heading", { name: "函数库" }).waitFor();
  await card("dusk", phone).getByText("被动", { exact: true }).waitFor();
  await card("dusk", phone).getByText("主动函数后").waitFor();
  await accessible(phone, "functions, phone, Chinese, dark");
  await fits("the library");
  await card("heal", phone).getByRole("button", { name: "HEAL 的更多操作" }).tap();
  await phone.getByRole("menuitem", { name: "复制到角色…" }).waitFor();
  await phone.touchscreen.tap(20, 20);
  await phone.getByRole("menu").waitFor({ state: "detached" });

  const before = await order(phone);
  const handle = await card(before[0], phone).locator(".handle").boundingBox();
  const session = await phone.context().newCDPSession(phone);
  const touch = (type, y) => session.send("Input.dispatchTouchEvent", { type, touchPoints: type === "touchEnd" ? [] : [{ x: handle.x + 10, y }] });
  // Down to the lower end of the next card, however high the cards are.
  const next = await card(before[1], phone).boundingBox();
  const [from, to] = [handle.y + 10, next.y + next.height - 5];
  await touch("touchStart", from);
  for (let step = 1; step <= 8; step += 1) await touch("touchMove", from + ((to - from) * step) / 8);
  await phone.locator("li.lifted").waitFor();
  await touch("touchEnd");
  await until(async () => (await order(phone))[0] === before[1]);
  await until(async () => (await own()).toSorted((left, right) => left.order - right.order)[0].id === before[1]);

  await phone.to("functions/heal");
  await ready(phone);
  await phone.getByRole("button", { name: "运行" }).click();
  await phone.getByText("已执行").waitFor();
  await accessible(phone, "editor, phone, Chinese, dark");
  await fits("the editor");
  await phone.to("functions?new=1");
  await ready(phone);
  await phone.getByRole("heading", { name: "新增函数" }).waitFor();
  await fits("a new function");
  await phone.finish();
});

test("hostile names and texts are text", async () => {
  await seedHostileFunctions(place.client);
  await place.client.sessions.create({ id: "evil", template: {} });
  const other = await newPage(place.browser, place.server.url, { viewport: { width: 390, height: 844 } });
  await other.to("s/evil");
  await other.getByText("This session has no floors yet").waitFor();
  await place.client.sessions.createTurn("evil", { role: "assistant", content: "Hello" });
  await other.getByRole("log").getByText(/1 call failed: <img src=x/).waitFor();
  for (const hash of ["functions", "functions/evil", "functions/wide", "functions?prompt=1"]) {
    await other.to(hash);
    await other.locator("h1").first().waitFor();
    if (hash.includes("/")) {
      await ready(other);
      await other.getByRole("button", { name: "Run" }).click();
      await other.locator("[data-bench-result] h3").first().waitFor();
    } else await card("evil", other).getByText("<img src=x").first().waitFor();
    equal(await other.evaluate(() => window.hacked), undefined);
    ok(await other.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${hash} scrolls sideways`);
    await accessible(other, `hostile ${hash}`);
  }
  await other.to("functions");
  await card("evil", other).getByRole("button", { name: /^More for/ }).click();
  await other.getByRole("menuitem", { name: "Delete" }).click();
  await other.getByRole("log").getByText(/“<img src=x/).waitFor();
  equal(await other.evaluate(() => window.hacked), undefined);
  await other.finish();
  await place.client.functions.delete("wide");
});

test("nobody who may only read is offered to write", async () => {
  const locked = await open();
  try {
    const admin = await locked.client.keys.create({ name: "admin", role: "admin" });
    const { TavernkeepClient } = await import("../../sdk/typescript/packages/sdk/dist/index.js");
    const client = new TavernkeepClient({ baseUrl: locked.server.url, key: admin.secret });
    await client.functions.create({ id: "one", name: "ONE", type: "active", executor: "snapshot.n = 1;", example: "@.ONE();" });
    const reader = await client.keys.create({ name: "reader", role: "read" });
    const eyes = await newPage(locked.browser, locked.server.url, { allow: [/status of 401/] });
    await eyes.to("functions");
    await eyes.getByLabel("Key").fill(reader.secret);
    await eyes.getByRole("button", { name: "Sign in" }).click();
    await card("one", eyes).waitFor();
    await eventually(async () => ok(await eyes.getByRole("switch", { name: "ONE on" }).isDisabled()));
    for (const name of ["Import", "More for ONE", "Delete ONE"]) equal(await eyes.getByRole("button", { name }).count(), 0);
    equal(await eyes.getByRole("link", { name: "New function" }).count(), 0);
    await eyes.getByRole("link", { name: "ONE" }).click();
    await ready(eyes);
    equal(await eyes.getByRole("button", { name: "Save", exact: true }).count(), 0);
    await eyes.getByRole("button", { name: "Run" }).click();
    await eyes.locator("[data-bench-result]").getByText("applied").waitFor();
    await accessible(eyes, "functions, read only");
    await eyes.finish();
  } finally {
    await locked.close();
  }
});

test("no page logged an error", () => page.finish());
