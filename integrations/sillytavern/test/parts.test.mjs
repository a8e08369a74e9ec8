// The parts that need neither SillyTavern nor a server.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { guardedJson, guardedText, addPending, bind, boundId, chatFile, fieldsOf, floorsOf, HASH, hashOf, ID, isEnabled, placeOf, promptEnd, roleOf, sha256, valueAt, wellFormed } from "../build/parts.js";

test("hashes are SHA-256 at every length around a block", () => {
  for (let length = 0; length < 200; length += 1) {
    const text = "好a".repeat(length).slice(0, length);
    assert.equal(sha256(text), createHash("sha256").update(text).digest("hex"), `length ${length}`);
  }
  const long = "她微笑。".repeat(50_000);
  assert.equal(hashOf(long), createHash("sha256").update(long).digest("hex"));
  assert.equal(hashOf(long), hashOf(long));
});

test("a value is found by its path", () => {
  const state = { 角色: { 金币: 5, "a.b": 1 }, bag: ["rope", { n: 2 }], "x.y": 3, empty: null };
  for (const [path, value] of [["角色.金币", 5], ["bag[0]", "rope"], ["bag.1.n", 2], ['角色["a.b"]', 1], ["x.y", 3], ["角色['a.b']", 1], ["empty", null], ["", state]]) {
    assert.deepEqual(valueAt(state, path), value, path);
  }
  for (const path of ["nothing", "bag[7]", "bag.length", "角色.金币.x", "__proto__", "constructor.name"]) assert.equal(valueAt(state, path), undefined, path);
});

test("who speaks: hidden replies count, narrators and tools do not", () => {
  assert.equal(roleOf({ mes: "", is_user: true }), "user");
  assert.equal(roleOf({ mes: "", is_user: false }), "assistant");
  assert.equal(roleOf({ mes: "", is_user: false, is_system: true, extra: {} }), "assistant");
  assert.equal(roleOf({ mes: "", is_user: false, extra: { type: "narrator" } }), "system");
  assert.equal(roleOf({ mes: "", is_user: false, is_system: true, extra: { tool_invocations: [{}] } }), "tool");
});

test("a swipe that is not there yet changes nothing, and the prompt ends before it", () => {
  const chat = [{ mes: "hi", is_user: true }, { mes: "two", is_user: false, swipe_id: 2, swipes: ["one", "two"] }];
  assert.deepEqual(floorsOf(chat)[1], { role: "assistant", name: null, active: 1, swipes: ["one", "two"] });
  assert.equal(promptEnd(chat, null), 1);
  chat[1].swipe_id = 1;
  assert.deepEqual([promptEnd(chat, null), promptEnd(chat, "swipe"), promptEnd(chat, "continue"), promptEnd(chat, "normal")], [2, 1, 2, 2]);
});

test("what is shown counts, not the stored swipe with its macros", () => {
  const [floor] = floorsOf([{ mes: "Hello, Ann.", swipe_id: 1, swipes: ["x", "Hello, {{user}}."] }]);
  assert.deepEqual(floor.swipes, ["x", "Hello, Ann."]);
});

test("of more swipes than the server takes the shown one is among those that are sent", () => {
  for (const shown of [0, 50, 120, 149]) {
    const swipes = Array.from({ length: 150 }, (_, index) => `swipe ${index}`);
    const [floor] = floorsOf([{ mes: `swipe ${shown}`, swipe_id: shown, swipes }]);
    assert.equal(floor.swipes.length, 100);
    assert.equal(floor.swipes[floor.active], `swipe ${shown}`);
  }
});

test("braces in values are no macros", () => {
  const state = { "{{a}}": "{{{b}}} {{{{c}}}}", nested: { deep: { er: "}}" } } };
  const json = guardedJson(JSON.stringify(state));
  assert.deepEqual(JSON.parse(json), state);
  assert.ok(!json.includes("{{"));
  assert.equal(guardedText("{{{x}}}"), "{\u2060{\u2060{x}}}");
});

test("half a surrogate pair can be sent", () => {
  assert.equal(wellFormed("a\ud800b\udc00c😀"), "a\ufffdb\ufffdc😀");
});

test("ids are bound to texts, follow them, and lost ones go", () => {
  const message = { mes: "two", swipe_id: 1, swipes: ["one", "two"], extra: { keep: 1 }, swipe_info: [{ extra: {} }, { extra: {} }] };
  assert.equal(bind(message, ["id-1", "id-2"]), true);
  assert.equal(bind(message, ["id-1", "id-2"]), false, "nothing to do the second time");
  assert.equal(boundId(message.extra, "two"), "id-2");
  assert.equal(boundId(message.swipe_info[0].extra, "one"), "id-1");
  // SillyTavern carries `extra` over to the next swipe.
  assert.equal(boundId(message.extra, "three"), null);
  assert.equal(bind(message, [null, null]), true);
  assert.deepEqual(message.extra, { keep: 1 });
  assert.deepEqual(message.swipe_info[1].extra, {});
  const bare = { mes: "new" };
  bind(bare, ["id-3"]);
  assert.equal(bare.extra[ID], "id-3");
  assert.equal(bare.extra[HASH], hashOf("new").slice(0, 16));
});

test("what waits for the server is what it does not know yet", () => {
  const renamed = (from, to) => ({ renamed: [from, to] });
  assert.deepEqual(addPending(addPending([], renamed("a", "b")), renamed("b", "c")), [renamed("a", "c")]);
  assert.deepEqual(addPending(addPending([], renamed("a", "b")), renamed("b", "a")), []);
  assert.deepEqual(addPending(addPending([], renamed("a", "b")), { deleted: "b" }), [{ deleted: "a" }]);
  assert.deepEqual(addPending(addPending([], { deleted: "a" }), { deleted: "a" }), [{ deleted: "a" }]);
});

test("names of chats have their folder; a group's come first", () => {
  const characters = [{ name: "花", avatar: "花.png", chat: "花 - 1" }];
  assert.equal(placeOf({ characters, groups: [], characterId: 0 }).file, "花/花 - 1");
  const groups = [{ id: "7", name: "All", chat_id: "g", members: ["花.png", "gone.png"] }];
  const place = placeOf({ characters, groups, characterId: 0, groupId: "7" });
  assert.deepEqual([place.file, place.owner, place.cards.length], ["group chats/g", "group:7", 1]);
  assert.equal(placeOf({ characters, groups: [] }), null);
  assert.equal(chatFile("a.b.png", "x.jsonl"), "a.b/x");
});

test("a group adds up its members, the first one first", () => {
  const card = (name, block) => ({ name, avatar: `${name}.png`, data: { first_mes: `I am ${name}.`, extensions: { st_var_system: block } } });
  const cards = [card("A", { enabled: true, templateBody: { gold: 1, a: {} }, functions: [{ id: "1", name: "F", junk: 1 }] }), card("B", { templateBody: { gold: 2, b: {} }, functions: [{ id: "2", name: "F" }] })];
  const fields = fieldsOf("Both", cards);
  assert.deepEqual(fields.template, { gold: 1, a: {}, b: {} });
  assert.deepEqual(fields.functions, [{ id: "1", name: "F" }]);
  assert.deepEqual(fieldsOf("A", [cards[0]]).greetings, ["I am A."]);
  assert.equal(isEnabled(cards, false), true);
  assert.equal(isEnabled([cards[1]], false), false);
  assert.equal(isEnabled([cards[1]], true), true);
  assert.equal(isEnabled([card("C", { enabled: false })], true), false);
});
