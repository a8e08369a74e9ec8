// Files that go back and forth: what the server exports is opened by SillyTavern, and what SillyTavern saves of it is imported again.
import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { statesOf } from "./oracle.mjs";

const lines = (text) => text.split("\n").map((line) => JSON.parse(line));
/** What SillyTavern itself changes in a header when it opens and saves a chat. */
const header = ({ chat_metadata: { integrity, tainted, variables, lastInContextMessageId, ...kept }, ...rest }) => ({ ...rest, kept });
/** A message without the ids that the extension puts on it. */
const bare = (message) => JSON.parse(JSON.stringify(message, (key, value) => (key.startsWith("st_var_system_snapshot") ? undefined : value)));

/** Registers the tests. `play` has what the play has: the page, the server and what can be done with them. */
export function fileTests({ at, run, slash, select, idle, reply, settled, importCard, card, swipeRight, setBase, template }) {
  const folder = (name) => join(at().tavern.data, "default-user", name);
  const ask = async (path, init) => {
    const answer = await fetch(`${at().server.url}${path}`, init);
    assert.ok(answer.ok, `${path}: ${answer.status} ${answer.ok ? "" : await answer.text()}`);
    return answer;
  };
  const api = async (method, path, body) => {
    const answer = await ask(path, { method, headers: { "content-type": "application/json" }, body: body && JSON.stringify(body) });
    return (await answer.json()).data;
  };
  /** Imports a file into the server. */
  const take = async (name, content, more = {}) => {
    const form = new FormData();
    form.append("file", new File([content], name));
    form.append("file_name", name);
    for (const [key, value] of Object.entries(more)) form.append(key, String(value));
    return (await (await ask("/import", { method: "POST", body: form })).json()).data;
  };
  const exportedChat = async (session) => (await ask(`/sessions/${session}/export?format=sillytavern`)).text();
  const exportedCard = async (character, format) => Buffer.from(await (await ask(`/characters/${character}/export?format=${format}`)).arrayBuffer());

  /** The open chat as SillyTavern stored it. */
  const saved = async (name) => {
    await run(() => SillyTavern.getContext().saveChat());
    await idle();
    return readFile(join(folder("chats"), name, `${await run(() => SillyTavern.getContext().chatId)}.jsonl`), "utf8");
  };
  /** Gives a file to an input of SillyTavern's page, as a person does with its button. */
  const choose = (input, name, mimeType, buffer) => at().page.locator(input).setInputFiles({ name, mimeType, buffer: Buffer.from(buffer) });

  /** Imports a chat with SillyTavern's own button and opens it; gives its messages as the page has them. */
  const openInTavern = async (name, text) => {
    await idle();
    await slash("/newchat");
    await idle();
    const before = new Set(await readdir(join(folder("chats"), name)));
    await at().page.evaluate(() => document.querySelector("#option_select_chat").click());
    await choose("#chat_import_file", "exported.jsonl", "application/json", text);
    let file;
    for (const end = Date.now() + 20_000; !file; ) {
      file = (await readdir(join(folder("chats"), name))).find((found) => !before.has(found) && found.endsWith("imported.jsonl"));
      assert.ok(file || Date.now() < end, "SillyTavern takes the chat");
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const chat = file.replace(/\.jsonl$/, "");
    await at().page.evaluate(() => document.querySelector("#select_chat_cross")?.click());
    await idle();
    await run((chat) => SillyTavern.getContext().openCharacterChat(chat), chat);
    await at().page.waitForFunction((chat) => SillyTavern.getContext().chatId === chat, chat);
    return run(() => JSON.parse(JSON.stringify(SillyTavern.getContext().chat)));
  };

  test("an exported chat is opened by SillyTavern with all that it had, and what that saves is the same chat", async () => {
    await importCard(card("Plain", undefined, { description: "No variables." }));
    await select("Plain");
    await slash("/newchat");
    for (const text of ["A first reply.", "A second one."]) {
      at().model.say(text);
      await slash("/send Go on.", "/trigger await=true");
    }
    at().model.say("Another second one.");
    await swipeRight();
    await slash('/sys The wind howls. {"braces": "{{char}}"}', "/hide 1");
    await run(() => {
      const { chat } = SillyTavern.getContext();
      chat[2].extra.own = { list: [1, { deep: null }], text: "雪\u2028" };
      chat[2].kept_key = true;
      chat[4].swipe_info[0].extra.of_swipe = "first";
    });
    const original = await saved("Plain");
    const session = (await take("Elsewhere/files.jsonl", original)).session_id;
    const exported = await exportedChat(session);
    assert.deepEqual(lines(exported), lines(original), "nothing is lost on the way through the server");
    const opened = await openInTavern("Plain", exported);
    assert.deepEqual(opened, lines(original).slice(1), "messages, swipes and extra");
    assert.equal(opened[4].swipes.length, 2);
    assert.equal(opened[1].is_system, true, "hidden");
    assert.equal(await at().page.locator("#chat .mes").count(), opened.length, "every message is shown");
    const again = await saved("Plain");
    const [first, ...messages] = lines(again);
    assert.deepEqual(messages, lines(original).slice(1), "what SillyTavern saves");
    assert.deepEqual(header(first), header(lines(original)[0]));
    const report = await take("Elsewhere/files.jsonl", again, { if_exists: "update" });
    assert.deepEqual([report.updated.unchanged, report.updated.created, report.updated.deleted], [opened.length, 0, 0]);
    assert.deepEqual(lines(await exportedChat(session)), lines(again));
  });

  test("a chat that went on here is opened with what was added, and its states follow from it", async () => {
    setBase(template);
    await select("Hana");
    await slash("/newchat");
    await reply('A coin. @.ADD("gold", 10);');
    const { session } = await settled("before");
    const turn = (body) => api("POST", `/sessions/${session}/turns`, body);
    await turn({ role: "user", content: "And more?" });
    const { floor_id } = await turn({ role: "assistant", content: 'No more. @.SET("place", "road");' });
    await turn({ role: "assistant", content: 'Much more. @.ADD("gold", 100);', swipe_of: floor_id });
    const exported = await exportedChat(session);
    const opened = await openInTavern("Hana", exported);
    assert.deepEqual(opened.map((message) => [message.is_user, message.mes]).slice(-2), [
      [true, "And more?"],
      [false, 'Much more. @.ADD("gold", 100);'],
    ]);
    assert.deepEqual(opened.at(-1).swipes, ['No more. @.SET("place", "road");', 'Much more. @.ADD("gold", 100);']);
    assert.equal(opened.at(-1).swipe_id, 1);
    const { states } = await settled("the extension has taken it in");
    assert.equal(states.at(-1).gold, 115);
    await reply('And on. @.SUB("gold", 5);');
    const again = await saved("Hana");
    const { character_id } = await api("GET", `/sessions/${session}`);
    const report = await take("Elsewhere/went on.jsonl", again, { character_id });
    assert.equal(report.outcome, "created");
    const { state } = await api("GET", `/sessions/${report.session_id}/state`);
    assert.deepEqual(state, statesOf(lines(again).slice(1), template).at(-1));
    assert.deepEqual(lines(await exportedChat(report.session_id)), lines(again));
  });

  const book = {
    name: "The inn",
    entries: [
      { id: 0, keys: ["inn"], secondary_keys: [], comment: "The inn", content: "It stands by the road.", constant: false, selective: true, insertion_order: 7, enabled: true, position: "before_char", extensions: { depth: 3, probability: 50 } },
      { id: 1, keys: ["[initvar]"], secondary_keys: [], comment: "[initvar]", content: '{"rooms": 4}', constant: false, selective: false, insertion_order: 100, enabled: false, position: "after_char", extensions: {} },
    ],
  };

  for (const format of ["png", "json"]) {
    test(`an exported card is opened by SillyTavern, as ${format.toUpperCase()}`, async () => {
      const name = `Innkeeper ${format}`;
      const functions = [{ id: "f", name: "GREET", type: "active", enabled: true, executor: "snapshot.greeted = true;" }];
      const made = card(name, { enabled: true, templateBody: { rooms: 3 }, functions }, { character_book: book, creator_notes: "Mine.", extensions: { st_var_system: { enabled: true, templateBody: { rooms: 3 }, functions }, other_tool: { kept: [1] } } });
      const { character_id: id } = await take(`${name}.json`, JSON.stringify(made));
      await api("PATCH", `/characters/${id}`, { greetings: ["Come in.", "We are full.", "Later, perhaps."] });
      const file = await exportedCard(id, format);
      await idle();
      await choose("#character_import_file", `${name}.${format}`, format === "png" ? "image/png" : "application/json", file);
      await at().page.waitForFunction((name) => SillyTavern.getContext().characters.some((character) => character.name === name), name);
      await select(name);
      const found = await run((name) => {
        const { data, first_mes, avatar } = SillyTavern.getContext().characters.find((character) => character.name === name);
        return JSON.parse(JSON.stringify({ data, first_mes, avatar }));
      }, name);
      assert.equal(found.first_mes, "Come in.");
      assert.deepEqual(found.data.alternate_greetings, ["We are full.", "Later, perhaps."]);
      assert.equal(found.data.creator_notes, "Mine.");
      assert.deepEqual(found.data.extensions.other_tool, { kept: [1] });
      assert.deepEqual(found.data.extensions.st_var_system.templateBody, { rooms: 3 });
      assert.deepEqual(found.data.character_book.entries, book.entries);
      // The book is put where SillyTavern keeps its own.
      await run(async (name) => {
        const context = SillyTavern.getContext();
        $("#import_character_info").data("chid", context.characters.findIndex((character) => character.name === name));
        await (await import("/scripts/world-info.js")).importEmbeddedWorldInfo(true);
      }, name);
      const world = JSON.parse(await readFile(join(folder("worlds"), "The inn.json"), "utf8"));
      assert.deepEqual(Object.values(world.entries).map(({ key, content, order, disable, depth, probability }) => ({ key, content, order, disable, depth, probability })), [
        { key: ["inn"], content: "It stands by the road.", order: 7, disable: false, depth: 3, probability: 50 },
        { key: ["[initvar]"], content: '{"rooms": 4}', order: 100, disable: true, depth: 4, probability: 100 },
      ]);
      // What SillyTavern stored comes back as the same character.
      const stored = await readFile(join(folder("characters"), found.avatar));
      const report = await take(`Copy of ${found.avatar}`, stored);
      assert.equal(report.outcome, "created");
      const [mine, theirs] = await Promise.all([id, report.character_id].map((id) => api("GET", `/characters/${id}`)));
      assert.deepEqual([theirs.name, theirs.greetings, theirs.enabled], [mine.name, mine.greetings, mine.enabled]);
      const [template, copied] = await Promise.all([id, report.character_id].map((id) => api("GET", `/characters/${id}/template`)));
      assert.deepEqual(copied.template, template.template);
      const written = JSON.parse(await exportedCard(report.character_id, "json"));
      assert.deepEqual(written.data.character_book, { ...found.data.character_book });
      assert.deepEqual(written.data.extensions.other_tool, { kept: [1] });
    });
  }

  test("a character that was made here has a card that SillyTavern opens", async () => {
    const { id } = await api("POST", "/characters", { name: "Nao", greetings: ['Hello. @.ADD("gold", 1);'], template: { gold: 5, place: "sea" } });
    await idle();
    await choose("#character_import_file", "Nao.png", "image/png", await exportedCard(id, "png"));
    await at().page.waitForFunction(() => SillyTavern.getContext().characters.some((character) => character.name === "Nao"));
    setBase({ gold: 5, place: "sea" });
    await select("Nao");
    await slash("/newchat");
    const { states } = await settled("a new chat of it");
    assert.equal(states[0].gold, 6);
    setBase(template);
    await select("Hana");
  });
}
