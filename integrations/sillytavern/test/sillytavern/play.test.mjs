// Plays a real SillyTavern. After each step the state at every message equals what the texts lead to, the chat variable holds the newest
// one, and the prompt that the model received held the one before the reply.
import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { statesOf } from "./oracle.mjs";
import { writeFile } from "node:fs/promises";
import { fileTests } from "./files.mjs";
import { load, play, record } from "./tavern.mjs";

const template = { gold: 5, place: "road", bag: [], hana: { trust: 1 } };
const card = (name, block, more = {}) => ({
  spec: "chara_card_v2",
  spec_version: "2.0",
  data: {
    name,
    description: `State of ${name}: {{getvar::vs_stat_data}} / {{vs_get::gold}}`,
    personality: "", scenario: "", mes_example: "",
    first_mes: 'Welcome, {{user}}. @.SET("place", "inn");',
    alternate_greetings: ['You again? @.SUB("gold", 1);'],
    extensions: { st_var_system: block },
    ...more,
  },
});

let at;
let base = template;

before(async () => {
  at = await play(join(tmpdir(), `tavernkeep-play-${process.pid}`));
  await load(at);
  if (process.env.RECORD) await record(at);
}, { timeout: 300_000 });
after(() => at?.close());

/** Runs a function in SillyTavern's page. */
const run = (work, argument) => at.page.evaluate(work, argument);
const slash = (...lines) => run(async (lines) => {
  for (const line of lines) await SillyTavern.getContext().executeSlashCommandsWithOptions(line);
}, lines);
const chatNow = () => run(() => SillyTavern.getContext().chat.map(({ mes, is_user, is_system, swipes, swipe_id, swipe_info, extra, name }) => ({ mes, is_user, is_system, swipes, swipe_id, swipe_info, extra, name })));
const sessionNow = () => run(() => tavernkeep.keeper.session);

async function importCard(content) {
  await run(async (content) => {
    const context = SillyTavern.getContext();
    const form = new FormData();
    form.append("avatar", new File([JSON.stringify(content)], `${content.data.name}.json`, { type: "application/json" }));
    form.append("file_type", "json");
    const { "Content-Type": _, ...headers } = context.getRequestHeaders();
    const answer = await fetch("/api/characters/import", { method: "POST", headers, body: form });
    if (!answer.ok) throw new Error(await answer.text());
    await context.getCharacters();
  }, content);
}

/** SillyTavern opens no other chat while it saves one, and a save that is late would bring a deleted chat back. */
const idle = () => at.page.waitForFunction(async () => {
  const { isChatSaving } = await import("/script.js");
  return !isChatSaving && tavernkeep.keeper.isIdle;
});

async function select(name) {
  const isOpen = (name) => {
    const { groupId, characters, characterId } = SillyTavern.getContext();
    return !groupId && characters[characterId]?.name === name;
  };
  // SillyTavern gives up on it without a word while it still saves another chat, and leaves a group later than it says.
  for (const end = Date.now() + 60_000; Date.now() < end; ) {
    await idle();
    await run(async (name) => {
      const context = SillyTavern.getContext();
      await context.selectCharacterById(context.characters.findIndex((character) => character.name === name));
    }, name);
    if (await at.page.waitForFunction(isOpen, name, { timeout: 3000 }).catch(() => false)) return;
  }
  assert.fail(`${name} was not opened`);
}

/** The whole comparison, repeated until it holds: the extension works after SillyTavern's events, not at our call. */
async function settled(what) {
  let problem;
  for (const end = Date.now() + 30_000; Date.now() < end; ) {
    try {
      return await compare();
    } catch (error) {
      problem = error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
  problem.message = `${what}: ${problem.message}\n${JSON.stringify(await run(() => ({ status: tavernkeep.keeper.status, reason: tavernkeep.keeper.reason })))}\n${at.log.slice(-5).join("\n")}`;
  throw problem;
}

async function compare() {
  const chat = await chatNow();
  const wanted = statesOf(chat, base);
  const session = await sessionNow();
  assert.notEqual(session, null, "the chat has a session");
  const floors = [];
  for (let from = 0; from !== null; ) {
    const { data, meta } = await at.client.sessions.getTranscript(session, { from, limit: 100 });
    floors.push(...data);
    from = meta.next_from ?? null;
  }
  assert.deepEqual(floors.map((floor) => floor.content ?? ""), chat.map((message) => message.mes), "the server has the chat");
  for (const [index, floor] of floors.entries()) {
    const { state, fresh } = await at.client.sessions.getState(session, { floor_no: floor.floor_no });
    assert.deepEqual(state, wanted[index], `state at message ${index}`);
    assert.equal(fresh, true, `fresh at message ${index}`);
  }
  const shown = await run(() => ({
    variable: SillyTavern.getContext().substituteParams("{{getvar::vs_stat_data}}"),
    gold: SillyTavern.getContext().substituteParams("{{vs_get::gold}}"),
    status: tavernkeep.keeper.status,
  }));
  assert.deepEqual(JSON.parse(shown.variable), wanted.at(-1), "{{getvar::vs_stat_data}}");
  assert.equal(shown.gold, String(wanted.at(-1).gold), "{{vs_get::gold}}");
  assert.equal(shown.status, "ready");
  // Ids stand where the text is, and nowhere else.
  for (const [index, message] of chat.entries()) {
    const id = message.extra?.st_var_system_snapshot_id ?? null;
    assert.equal(id, floors[index].snapshot_id, `the id on message ${index}`);
    const shown = message.swipe_info?.[message.swipe_id ?? 0]?.extra;
    if (shown && id !== null) assert.equal(shown.st_var_system_snapshot_id, id, `the id on the swipe of message ${index}`);
  }
  return { chat, states: wanted, session, floors };
}

/** The state in the last prompt, in the card's description and in the injected view. */
function assertPrompt(state) {
  const prompt = at.model.lastPrompt();
  assert.ok(prompt.includes(`: ${JSON.stringify(state)} / ${state.gold}`), `the description shows the state ${JSON.stringify(state)}:\n${prompt}`);
  assert.ok(prompt.includes(`<state>\ngold: ${state.gold}\nplace: ${state.place}\n`), `the view shows the state:\n${prompt}`);
}

/** A message of the user and a reply; the prompt had the state before it. */
async function reply(text, said = "Go on.") {
  const { states } = await settled("before the reply");
  at.model.say(text);
  await slash(`/send ${said}`, "/trigger await=true");
  assertPrompt(states.at(-1));
  return settled(`after ${text}`);
}

/** Asks for another swipe of the last reply and waits for it. */
async function swipeRight() {
  const count = (await chatNow()).at(-1).swipes.length;
  await run(() => SillyTavern.getContext().swipe.right());
  await at.page.waitForFunction((count) => {
    const last = SillyTavern.getContext().chat.at(-1);
    return last.swipes.length > count && last.swipe_id === count && !document.body.dataset.generating;
  }, count);
}

test("greeting: the template and the greeting's commands", async () => {
  await importCard(card("Hana", { enabled: true, templateBody: template }));
  await select("Hana");
  await slash("/newchat");
  const { states, chat } = await settled("greeting");
  assert.equal(chat.length, 1);
  assert.deepEqual(states[0], { ...template, place: "inn" });
});

test("another greeting, and back", async () => {
  await run(() => SillyTavern.getContext().swipe.right());
  const { states } = await settled("second greeting");
  assert.deepEqual(states[0], { ...template, gold: 4 });
  await run(() => SillyTavern.getContext().swipe.left());
  await settled("first greeting");
});

test("replies, whole and streamed", async () => {
  await reply('A coin. @.ADD("gold", 10);');
  await run(() => (SillyTavern.getContext().chatCompletionSettings.stream_openai = true));
  await reply('A rope, and trust grows. @.APPEND("bag", "rope"); @.ADD("hana.trust", 2);');
  await run(() => (SillyTavern.getContext().chatCompletionSettings.stream_openai = false));
});

test("overswipe: the prompt shows the state before the reply that is replaced", async () => {
  const { states } = await settled("before");
  at.model.say('No rope. @.SUB("gold", 3);');
  await swipeRight();
  await settled("second swipe");
  assertPrompt(states.at(-2));
  await run(() => (SillyTavern.getContext().chatCompletionSettings.stream_openai = true));
  at.model.say('A lamp. @.APPEND("bag", "lamp");');
  await swipeRight();
  const { chat } = await settled("third swipe, streamed");
  assertPrompt(states.at(-2));
  assert.equal(chat.at(-1).swipes.length, 3);
  await run(() => (SillyTavern.getContext().chatCompletionSettings.stream_openai = false));
});

test("swipe to one that exists: its state and its id come back", async () => {
  const ids = new Set();
  for (const direction of ["left", "left", "right", "right"]) {
    await run((direction) => SillyTavern.getContext().swipe[direction](), direction);
    const { chat } = await settled(`swipe ${direction}`);
    ids.add(chat.at(-1).extra.st_var_system_snapshot_id);
  }
  assert.equal(ids.size, 3, "three swipes have three snapshots");
});

test("continue: commands at the end of a reply count", async () => {
  const { states } = await settled("before");
  at.model.say(' And a bell. @.ADD("hana.trust", 5);');
  await slash("/continue await=true");
  assertPrompt(states.at(-1));
  const { chat } = await settled("continued");
  assert.match(chat.at(-1).mes, /lamp.*bell/s);
});

test("regenerate", async () => {
  const { states } = await settled("before");
  at.model.say('A new reply. @.ADD("gold", 100);');
  await slash("/regenerate await=true");
  assertPrompt(states.at(-2));
  await settled("regenerated");
});

test("edit of an earlier reply: everything behind it follows", async () => {
  await edit(2, 'Two coins. @.ADD("gold", 20);');
  const { states } = await settled("edited");
  assert.equal(states[2].gold, 25);
  await reply("The prompt has the edited story.");
});

/** Clicks a button of a message, which may be hidden until the pointer is there. */
const press = (index, button) => run(({ index, button }) => document.querySelector(`.mes[mesid="${index}"] ${button}`).click(), { index, button });

async function edit(index, text) {
  await press(index, ".mes_edit");
  await at.page.locator("#curEditTextarea").fill(text);
  await press(index, ".mes_edit_done");
}

test("delete in the middle", async () => {
  const before = (await settled("before")).chat.length;
  await slash("/cut 2");
  const { chat, states } = await settled("cut");
  assert.equal(chat.length, before - 1);
  assert.equal(states.at(-1).gold, 105);
  await reply("The prompt has what is left.");
});

test("delete a swipe: the ids follow their texts", async () => {
  const first = (await settled("before")).chat.at(-1).extra.st_var_system_snapshot_id;
  at.model.say('Another. @.ADD("gold", 1);');
  await swipeRight();
  await settled("swiped");
  await slash("/delswipe 1");
  const { chat } = await settled("first swipe deleted");
  assert.equal(chat.at(-1).swipes.length, 1);
  assert.match(chat.at(-1).mes, /Another/);
  assert.notEqual(chat.at(-1).extra.st_var_system_snapshot_id, first);
  await reply("The prompt has the swipe that is left.");
});

test("move and hide emit no event and are found before the next generation", async () => {
  await reply('Move me. @.SET("place", "harbour");');
  const last = (await chatNow()).length - 1;
  await press(last, ".mes_edit");
  await at.page.locator("#curEditTextarea").waitFor();
  await press(last, ".mes_edit_up");
  await at.page.waitForFunction(() => SillyTavern.getContext().chat.at(-1).is_user);
  await press(last - 1, ".mes_edit_cancel");
  const moved = await chatNow();
  assert.equal(moved.at(-1).is_user, true, "the reply stands before the user's message");
  at.model.say('Behind it. @.ADD("gold", 2);');
  await slash("/trigger await=true");
  assertPrompt(statesOf(moved, base).at(-1));
  await settled("moved");
  const index = (await chatNow()).length - 1;
  await slash(`/hide ${index}`);
  await reply('Still here. @.ADD("gold", 4);');
  assert.ok(!at.model.lastPrompt().includes("Behind it."), "the hidden message is not in the prompt");
});

test("a narrator's text and a user's text hold no commands", async () => {
  await slash('/sys The wind howls. @.SET("gold", 0);');
  await reply("Nothing happens.", 'I take it. @.SET("gold", 9999);');
});

test("values with braces are data in the prompt", async () => {
  const { states } = await reply('She writes. @.SET("place", "{{char}} {{random::a}}");');
  assert.equal(states.at(-1).place, "{{char}} {{random::a}}");
  at.model.say('Done. @.SET("place", "inn");');
  await slash("/send Read it.", "/trigger await=true");
  const prompt = at.model.lastPrompt();
  assert.match(prompt, /<state>\ngold: \d+\nplace: "?\{\u2060\{char\}\} \{\u2060\{random::a\}\}"?\n/);
  const [, described] = prompt.match(/State of Hana: (.*) \/ \d+\n/);
  assert.deepEqual(JSON.parse(described), states.at(-1));
  await settled("braces");
});

test("failures are shown with their count", async () => {
  await run(() => (globalThis.warned = []));
  await run(() => (toastr.warning = (text) => globalThis.warned.push(text)));
  at.model.say('Nonsense. @.ADD("place", 1); @.SUB("place", 2);');
  await slash("/send Try.", "/trigger await=true");
  await at.page.waitForFunction(() => globalThis.warned.length > 0);
  assert.deepEqual(await run(() => globalThis.warned), ["2 function calls failed in this reply; see the browser's console for details."]);
  await slash("/cut {{lastMessageId}}");
  await settled("cut");
});

test("reprocess gives the newest reply a new snapshot", async () => {
  await reply('Once more. @.ADD("gold", 1);');
  const old = (await settled("before")).chat.at(-1).extra.st_var_system_snapshot_id;
  await run(() => document.querySelector("#option_tavernkeep_reprocess").click());
  await at.page.waitForFunction((old) => {
    const id = SillyTavern.getContext().chat.at(-1).extra.st_var_system_snapshot_id;
    return id && id !== old;
  }, old);
  await settled("reprocessed");
});

test("an edit by hand reaches the chat at once, and a branch has it", async () => {
  const { session, floors, chat, states } = await settled("before");
  const index = floors.findLastIndex((floor) => floor.snapshot_id !== null);
  await at.client.snapshots.patch(floors[index].snapshot_id, { patch: { hana: { trust: 50 } } });
  await at.page.waitForFunction(() => JSON.parse(SillyTavern.getContext().chatMetadata.variables.vs_stat_data).hana.trust === 50);
  await slash(`/branch-create ${chat.length - 1}`);
  await at.page.waitForFunction((session) => tavernkeep.keeper.session && tavernkeep.keeper.session !== session && tavernkeep.keeper.status === "ready", session);
  const other = await sessionNow();
  const { state } = await at.client.sessions.getState(other);
  assert.deepEqual(state, { ...states.at(-1), hana: { ...states.at(-1).hana, trust: 50 } });
  assert.equal(await run(() => JSON.parse(SillyTavern.getContext().chatMetadata.variables.vs_stat_data).hana.trust), 50);
});

test("branch and checkpoint are chats of their own", async () => {
  await slash("/newchat");
  await reply('Gold. @.ADD("gold", 10);');
  await reply('More gold. @.ADD("gold", 10);');
  const { session, chat } = await settled("main");
  const main = await run(() => SillyTavern.getContext().chatId);
  await slash("/branch-create 2");
  await at.page.waitForFunction((main) => SillyTavern.getContext().chatId !== main, main);
  await settled("branch");
  assert.notEqual(await sessionNow(), session);
  await reply('Elsewhere. @.SET("place", "sea");');
  await run((main) => SillyTavern.getContext().openCharacterChat(main), main);
  await settled("main again");
  assert.equal(await sessionNow(), session);
  assert.equal((await chatNow()).length, chat.length);
  await slash("/checkpoint-create mesId=2 Halfway", "/checkpoint-go 2");
  await at.page.waitForFunction(() => SillyTavern.getContext().chatId === "Halfway");
  await settled("checkpoint");
  await reply('From half the way. @.ADD("gold", 3);');
  await run((main) => SillyTavern.getContext().openCharacterChat(main), main);
  await settled("main at the end");
});

test("what was recorded is written for the small tests", { skip: !process.env.RECORD }, async () => {
  const events = await run(() => globalThis.recorded);
  const lines = events.map((event) => JSON.stringify(event)).join(",\n");
  await writeFile(new URL("../recorded.json", import.meta.url), `{"template":${JSON.stringify(template)},"events":[\n${lines}\n]}\n`);
});

test("rename: the session follows, also outside of the open chat", async () => {
  const { session } = await settled("before");
  const old = await run(() => SillyTavern.getContext().chatId);
  await run((old) => SillyTavern.getContext().renameChat(old, "Another name"), old);
  await at.page.waitForFunction(() => SillyTavern.getContext().chatId === "Another name" && tavernkeep.keeper.status === "ready");
  await settled("renamed");
  assert.equal(await sessionNow(), session);
  assert.equal((await at.client.sessions.get(session)).chat_file, "Hana/Another name");
  const { data } = await at.client.sessions.list({ chat_file: `Hana/${old}` });
  assert.deepEqual(data, [], "nothing is left under the old name");
  await reply("Under the new name.");
});

test("the server is away: nothing waits, and it catches up", async () => {
  const { session } = await settled("before");
  await at.server.stop();
  at.model.say('Without a server. @.ADD("gold", 7);');
  await slash("/send Hello?", "/trigger await=true");
  await at.page.waitForFunction(() => tavernkeep.keeper.status === "away");
  assert.equal(await run(() => document.querySelector("#tavernkeep_icon").dataset.status), "away");
  at.model.say('Still without. @.ADD("gold", 8);');
  await slash("/send Anybody?", "/trigger await=true");
  assert.equal((await chatNow()).at(-1).mes.startsWith("Still without."), true);
  await run(() => SillyTavern.getContext().renameChat("Another name", "Renamed while away"));
  await at.server.start();
  await settled("back");
  assert.equal(await sessionNow(), session, "the renamed chat kept its session");
  await reply('With a server. @.ADD("gold", 1);');
});

test("the page is loaded again", async () => {
  const { session } = await settled("before");
  await run(() => SillyTavern.getContext().saveChat());
  await load(at);
  await select("Hana");
  await at.page.waitForFunction(() => SillyTavern.getContext().chatId === "Renamed while away");
  await settled("loaded");
  assert.equal(await sessionNow(), session);
});

test("a group chat", async () => {
  await importCard(card("Mika", { enabled: true, templateBody: { mika: { mood: "calm" }, gold: 99 } }));
  base = { ...template, mika: { mood: "calm" } };
  await idle();
  await run(async () => {
    const context = SillyTavern.getContext();
    const members = ["Hana", "Mika"].map((name) => context.characters.find((character) => character.name === name).avatar);
    const chat = "group-test";
    const body = { name: "Both", members, avatar_url: "", allow_self_responses: false, activation_strategy: 1, generation_mode: 0, disabled_members: [], fav: false, chat_id: chat, chats: [chat], auto_mode_delay: 5 };
    const answer = await fetch("/api/groups/create", { method: "POST", headers: context.getRequestHeaders(), body: JSON.stringify(body) });
    const { id } = await answer.json();
    await context.getCharacters();
    const groups = await import("/scripts/group-chats.js");
    await groups.openGroupById(id);
  });
  await at.page.waitForFunction(() => SillyTavern.getContext().groupId && SillyTavern.getContext().chat.length === 2);
  await settled("the greetings of both");
  at.model.say('Hana speaks. @.ADD("gold", 1);');
  at.model.say('Mika speaks. @.SET("mika.mood", "merry");');
  await slash("/send All of you?", "/trigger await=true");
  await at.page.waitForFunction(() => SillyTavern.getContext().chat.length === 5);
  const { states } = await settled("both have spoken");
  assert.equal(states.at(-1).mika.mood, "merry");
  assert.ok(at.model.lastPrompt().includes(JSON.stringify(states.at(-2))), "the second speaker was shown what the first one did");
});

test("a deleted chat takes its session along", async () => {
  base = template;
  await select("Hana");
  await slash("/newchat");
  await reply('To be deleted. @.ADD("gold", 1);');
  const session = await sessionNow();
  await idle();
  await slash("/delchat");
  for (const end = Date.now() + 20_000; ; ) {
    const gone = await at.client.sessions.get(session).then(() => false, (error) => error.code === "session_not_found");
    if (gone) break;
    assert.ok(Date.now() < end, "the session is deleted");
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
});

test("the panel has five tabs that show the console", async () => {
  await select("Hana");
  await settled("open");
  await at.page.locator("#tavernkeep_icon").click();
  const tabs = await at.page.locator(".tavernkeep-tab").allTextContents();
  assert.deepEqual(tabs, ["Character template", "Global snapshots", "Function library", "Floor snapshots", "Settings"]);
  await at.page.locator('[data-tab="floors"]').click();
  await at.page.frameLocator(".tavernkeep-frame").getByText("Save snapshot").first().waitFor();
  await at.page.locator('[data-tab="settings"]').click();
  await at.page.locator('[data-setting="language"]').selectOption("zh");
  assert.deepEqual(await at.page.locator(".tavernkeep-tab").allTextContents(), ["角色模板", "全局快照", "函数库", "楼层快照", "设置"]);
  await at.page.locator('[data-setting="language"]').selectOption("auto");
  await at.page.locator("#tavernkeep_icon").click();
});

test("a card that asks for nothing is left alone until the panel switches it on; its template travels both ways", async () => {
  await importCard(card("Rin", undefined));
  await select("Rin");
  await slash("/newchat");
  await at.page.waitForFunction(() => tavernkeep.keeper.status === "disabled");
  assert.equal(await run(() => SillyTavern.getContext().chatMetadata.variables?.vs_stat_data), undefined);
  at.model.say("Nothing is kept.");
  await slash("/send Hello.", "/trigger await=true");
  assert.ok(!at.model.lastPrompt().includes("<state>"));
  await slash("/newchat");
  await at.page.locator("#tavernkeep_icon").click();
  await at.page.locator('[data-tab="template"]').click();
  await at.page.locator("#tavernkeep_character_enabled").check();
  base = {};
  await at.page.waitForFunction(() => tavernkeep.keeper.status === "ready");
  base = { gold: 7, place: "hill" };
  await at.client.characters.putTemplate(await run(() => tavernkeep.keeper.character), { template: base });
  await run(() => tavernkeep.keeper.reconcile());
  await settled("the story has not begun and starts from the new template");
  await at.page.locator('[data-action="write_card"]').click();
  const inCard = () => run(() => SillyTavern.getContext().characters.find((character) => character.name === "Rin").data.extensions.st_var_system);
  await at.page.waitForFunction(() => SillyTavern.getContext().characters.find((character) => character.name === "Rin").data.extensions?.st_var_system?.templateBody?.gold === 7);
  assert.equal((await inCard()).enabled, true);
  base = { gold: 1, place: "valley" };
  await run(async (template) => {
    const context = SillyTavern.getContext();
    const block = context.characters[context.characterId].data.extensions.st_var_system;
    await context.writeExtensionField(context.characterId, "st_var_system", { ...block, templateBody: template });
    tavernkeep.keeper.touch();
  }, base);
  await settled("the card has changed");
  await at.page.locator("#tavernkeep_icon").click();
});

test("an added swipe emits no event and is found", async () => {
  base = template;
  await select("Hana");
  await slash("/newchat");
  await reply('First. @.ADD("gold", 1);');
  await slash('/addswipe Added. @.ADD("gold", 30);');
  await reply('And on. @.ADD("gold", 2);');
  assert.ok((await chatNow()).some((message) => message.swipes?.length === 2));
});

fileTests({ at: () => at, run, slash, select, idle, reply, settled, importCard, card, swipeRight, setBase: (value) => (base = value), template });

test("through the server plugin", async () => {
  await run(() => {
    Object.assign(SillyTavern.getContext().extensionSettings.tavernkeep, { through_plugin: true, address: "http://127.0.0.1:9" });
    tavernkeep.keeper.forget();
  });
  await reply('Through the plugin. @.ADD("gold", 2);');
});
