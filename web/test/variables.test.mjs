// Variables: five layers, staged writes and promotions, history, two people at one value.
import assert from "node:assert/strict";
import { test } from "node:test";
import { accessible, eventually, newPage, seedTale, withPage } from "./browser.mjs";

const at = withPage({ allow: [/status of 412/] });
const { equal } = assert;

test("five layers: the winner and what it hides; set, delete with undo, history", async () => {
  const { page } = at;
  await page.to("s/tale/variables");
  const row = page.getByRole("row", { name: /mood/ });
  await row.waitFor();
  await eventually(async () => equal(await row.locator("td.winner").textContent().then((text) => text.trim()), "calm"));
  await eventually(async () => equal(await row.locator("td.shadowed .value").textContent(), "none"));
  await accessible(page, "variables of a session");
  await page.getByRole("button", { name: "New variable" }).click();
  await page.getByLabel("Key", { exact: true }).fill("hp");
  await page.getByLabel("Value", { exact: true }).fill("not json");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The value is not JSON").waitFor();
  await page.getByLabel("Value", { exact: true }).fill("-9007199254740993");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("row", { name: /hp/ }).getByText("-9007199254740993").waitFor();
  await page.getByRole("button", { name: "History of hp (Chat)" }).click();
  await page.getByRole("dialog").getByText("set · put").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Delete hp (Chat)" }).click();
  await page.getByText("hp was deleted").waitFor();
  await page.getByRole("row", { name: /^hp/ }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo" }).last().click();
  await page.getByRole("row", { name: /^hp/ }).waitFor();
});

test("all variables are live", async () => {
  const { page, client } = at;
  await page.to("variables?scope=global");
  await page.getByRole("row", { name: /theme/ }).waitFor();
  await client.variables.put({ scope: "global", scope_id: "global", key: "theme", value: "day" });
  await page.getByRole("row", { name: /theme/ }).getByText("day").waitFor();
  await accessible(page, "variables");
});

test("two people edit one variable: the second is asked", async () => {
  const { page, client } = at;
  await seedTale(client, "vars");
  const put = (value) => client.variables.put({ scope: "chat", scope_id: "vars", key: "bag", value });
  const value = async () => (await client.variables.list({ scope: "chat", scope_id: "vars", key: "bag" })).data[0].value;
  const edit = async (before, theirs, mine) => {
    await put(before);
    await page.to("s/vars/variables");
    await page.getByRole("button", { name: "Edit bag (Chat)" }).click();
    const field = page.getByLabel("Value", { exact: true });
    // The tag of the value is read when the dialog opens.
    await page.waitForFunction((text) => JSON.stringify(JSON.parse(document.querySelector("dialog textarea").value)) === text, JSON.stringify(before));
    await field.fill(JSON.stringify(mine));
    await put(theirs);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("dialog").getByText("Someone else changed this").waitFor();
  };
  const choose = (name) => page.getByRole("dialog").getByRole("button", { name }).click();
  await edit({ rope: 1, map: 1 }, { rope: 2, map: 1 }, { rope: 1, map: 5 });
  await page.getByRole("dialog").getByText("bag.rope", { exact: true }).waitFor();
  await page.getByRole("dialog").getByText("bag.map", { exact: true }).waitFor();
  await accessible(page, "conflict of a variable");
  await choose("Apply my changes on top");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  assert.deepEqual(await value(), { rope: 2, map: 5 });

  await edit({ rope: 1 }, { rope: 2 }, { rope: 3 });
  await choose("Take theirs");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  assert.deepEqual(await value(), { rope: 2 });

  await edit({ rope: 1 }, { rope: 2 }, { rope: 3 });
  await choose("Save mine in place of theirs");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  assert.deepEqual(await value(), { rope: 3 });
});

test("a new variable replaces none that someone made meanwhile", async () => {
  const { page, client } = at;
  await seedTale(client, "new");
  await page.to("s/new/variables");
  await page.getByRole("button", { name: "New variable" }).click();
  await page.getByLabel("Key", { exact: true }).fill("k");
  await page.getByLabel("Value", { exact: true }).fill("1");
  await client.variables.put({ scope: "chat", scope_id: "new", key: "k", value: 2 });
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("dialog").getByText("Someone else changed this").waitFor();
  equal((await client.variables.list({ scope: "chat", scope_id: "new", key: "k" })).data[0].value, 2);
});

test("staged writes and promotions of a page, in both languages", async () => {
  const { page, client, browser, server } = at;
  await client.sessions.create({ id: "proposed" });
  await client.variables.put({ scope: "branch", session_id: "proposed", branch_id: "main", key: "gold", value: 500 });
  const floor = await client.floors.create({ session_id: "proposed" });
  const made = await client.pages.create({ floor_id: floor.id, page_no: 0, page_kind: "output", content: "She offers a place." });
  const stage = (key, value) => client.pages.stageWrite(made.id, { key, op: "set", value, intent: "promote_to_branch_on_accept", conflict_policy: "if_absent", reason: `about ${key}` });
  await stage("shelter", "the fireside");
  await stage("gold", 496);
  await page.to("s/proposed/variables");
  await page.getByText("about shelter").waitFor();
  await eventually(async () => equal(await page.getByText("staged", { exact: true }).count(), 2));
  await client.floors.generate(floor.id, {});
  await client.floors.commit(floor.id, {});
  await page.getByText("promoted", { exact: true }).first().waitFor();
  await page.getByText("branch or chat have this key already").waitFor();
  await page.getByText("Floor → Branch").waitFor();
  await accessible(page, "staged writes");
  const other = await newPage(browser, server.url, { language: "zh" });
  await other.to("s/proposed/variables");
  await other.getByText("已提升", { exact: true }).first().waitFor();
  await other.getByText("分支或会话已有此键").waitFor();
  await other.finish();
});
