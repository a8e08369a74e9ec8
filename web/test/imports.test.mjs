// Chats and cards of SillyTavern: chosen, dropped, exported.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { accessible, withPage } from "./browser.mjs";

const at = withPage({ allow: [/status of 409/, /status of 422/] });
const { equal, deepEqual } = assert;

const lines = [
  { user_name: "You", character_name: "Rin", chat_metadata: { my: "key" } },
  { name: "Rin", is_user: false, mes: 'B @.SET("x", 1);', swipe_id: 1, swipes: ["A", 'B @.SET("x", 1);'], extra: { unknown: [1] } },
  { name: "You", is_user: true, mes: "Hello <b>there</b>" },
];
const chat = lines.map((line) => JSON.stringify(line)).join("\n");
const card = { spec: "chara_card_v2", spec_version: "2.0", data: { name: "Rin", first_mes: "Hi.", extensions: { other: 7, st_var_system: { templateBody: { x: 0 } } } } };
const file = (name, text) => ({ name, mimeType: "application/octet-stream", buffer: Buffer.from(text) });

/** Drops files on the page as a file manager does. */
async function drop(page, files) {
  const data = await page.evaluateHandle((files) => {
    const data = new DataTransfer();
    for (const [name, text] of files) data.items.add(new File([text], name));
    return data;
  }, files);
  await page.dispatchEvent("body", "dragover", { dataTransfer: data });
  await page.getByText("Drop chats (.jsonl) and cards").waitFor();
  await page.dispatchEvent("body", "drop", { dataTransfer: data });
}

test("a card and its chat are dropped together and belong together", async () => {
  const { page, client, card: floor } = at;
  await page.to("sessions");
  await page.getByRole("button", { name: "Import", exact: true }).waitFor();
  await drop(page, [["Rin - 1.jsonl", chat], ["Rin.json", JSON.stringify(card)]]);
  const dialog = page.getByRole("dialog");
  await dialog.getByText("imported", { exact: true }).nth(1).waitFor();
  await accessible(page, "import");
  await dialog.getByRole("listitem").filter({ hasText: "Rin/Rin - 1" }).getByRole("button", { name: "Open" }).click();
  await floor(0).getByText("swipe 2/2").waitFor();
  await floor(1).getByText("Hello <b>there</b>").waitFor();
  const [session] = (await client.sessions.list({ chat_file: "Rin/Rin - 1" })).data;
  equal((await client.characters.get(session.character_id)).name, "Rin");
  equal((await client.sessions.getState(session.id)).state.x, 1);
});

test("a file that is there already waits for a decision, and what is none says why", async () => {
  const { page, client } = at;
  await page.to("sessions");
  await page.getByRole("button", { name: "Import", exact: true }).click();
  await page.getByLabel(/Chats \(\.jsonl\)/).setInputFiles([file("Rin - 1.jsonl", chat), file("broken.jsonl", `${chat}\n{"mes": "cut`)]);
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("alert").filter({ hasText: "line 4: the last line breaks off" }).waitFor();
  await dialog.getByRole("alert").filter({ hasText: "is there already" }).waitFor();
  await dialog.getByRole("button", { name: "Update" }).click();
  await dialog.getByText("is the same already").waitFor();
  await page.getByLabel(/Chats \(\.jsonl\)/).setInputFiles([file("Rin - 1.jsonl", chat)]);
  await dialog.getByRole("button", { name: "Import a copy" }).click();
  await dialog.getByText("Rin/Rin - 1 (2)").waitFor();
  equal((await client.sessions.list({ chat_file: "Rin/Rin - 1 (2)" })).data.length, 1);
  equal((await client.sessions.list({ chat_file: "broken" })).data.length, 0);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
});

test("a chat and a card are exported as they came", async () => {
  const { page, client } = at;
  const [session] = (await client.sessions.list({ chat_file: "Rin/Rin - 1" })).data;
  await page.to(`s/${session.id}/settings`);
  await page.locator('[data-ready="true"]').waitFor();
  const save = async (name) => {
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name }).click()]);
    return { name: download.suggestedFilename(), content: await readFile(await download.path()) };
  };
  const written = await save("Export chat");
  equal(written.name, "Rin - 1.jsonl");
  deepEqual(written.content.toString().split("\n").map((line) => JSON.parse(line)), lines);
  await page.to(`characters/${session.character_id}`);
  await page.getByRole("heading", { name: "Rin" }).waitFor();
  const json = await save("Card as JSON");
  equal(json.name, "Rin.json");
  deepEqual(JSON.parse(json.content.toString()).data.extensions, card.data.extensions);
  const png = await save("Card as PNG");
  equal(png.name, "Rin.png");
  deepEqual([...png.content.subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
});
