// What the tests and screenshots of tools, prompt and memory begin with.
import { readFileSync } from "node:fs";

/** A session whose tools were used: groups on, a journal, a scratchpad, and a tool of an application. */
export async function seedTools(client, id = "agent") {
  await client.sessions.create({ id, title: "The quartermaster 军需官", template: { gold: 500 } });
  await client.sessions.createTurn(id, { role: "assistant", page_id: `${id}-p1`, content: 'Let me count. @.ADD("gold", 5);' });
  for (const group of ["vars", "state", "basic"]) await client.tools.updateGroup(id, group, { enabled: true });
  await client.tools.registerGroup(id, {
    name: "weather",
    tools: [{ definition: { type: "function", function: { name: "Forecast", description: "Tells the weather of a place for the next days.", parameters: { type: "object", properties: { place: { type: "string" } } } } }, permission: { executionPolicy: "ask-once" } }],
    rulePrompt: "Ask for one place at a time.",
  });
  await client.tools.updateGroup(id, "weather", { enabled: true });
  await client.tools.update(id, "RemoveVars", { permission: { executionPolicy: "ask-always", resultApprovalPolicy: "never", deny: [{ argument: "/names/0", matches: "ledger*" }] } });
  await client.tools.call(id, { tool: "WriteVar", args: { name: "plan", value: "first look, then leap\n1. count the coins\n2. buy rope", desc: "what comes next", tags: ["todo"] } });
  await client.tools.call(id, { tool: "calculate", args: { expression: "12 * 7 + 1" } });
  await client.tools.call(id, { tool: "calculate", args: { expression: "1 / " } });
  await client.tools.call(id, { tool: "get_state", args: {} });
  await client.tools.call(id, { tool: "NoSuchTool", args: { a: 1 } });
  await client.scratchpad.put(id, "ledger 账本", { value: "rope: 3 silver\nlantern: 5 silver", desc: "what things cost", tags: ["prices", "shop"], keep: true });
}

/** Makes a tool ask, and asks. Returns the call. */
export async function ask(client, id, args = { name: "secret", value: "the vault opens at noon" }) {
  await client.tools.update(id, "WriteVar", { permission: { executionPolicy: "ask-always" } });
  return client.tools.call(id, { tool: "WriteVar", args });
}

/** A session with views and variables, for prompts. */
export async function seedPrompt(client, id = "prompts") {
  const ranges = [{ below: 20, text: "她很冷淡。" }, { below: 60, text: "她是朋友。" }, { text: "她很亲密。" }];
  await client.sessions.create({
    id,
    title: "What the model is shown 提示词",
    template: { 络络: { 亲密度: 40, 心情: "平静" }, 世界: { 天: 3, 地点: "镀金酒壶" } },
    profile: { base: "default", note: true, views: { status: { texts: [{ path: "络络.亲密度", ranges }] }, brief: { format: "compact", paths: ["世界"], budget: 40 } } },
  });
  await client.variables.putMany({
    items: [
      { scope: "branch", session_id: id, branch_id: "main", key: "mood", value: "tense" },
      { scope: "global", scope_id: "global", key: "greeted", value: "no" },
    ],
  });
  await client.sessions.createTurn(id, { role: "assistant", content: 'She looks up. @.ADD("络络.亲密度", 2);' });
  await client.sessions.createTurn(id, { role: "user", content: "Good evening." });
  await client.sessions.createTurn(id, { role: "assistant", content: 'She smiles. @.ADD("络络.亲密度", 30); @.ADD("络络.心情", 1);' });
}

const folder = new URL("../../examples/memory/", import.meta.url);

/** The story of the memory rules in examples/memory. */
export async function seedMemory(client, id = "forest") {
  await client.sessions.create({ id, title: "雾镇 · the town in the fog", profile: "memory" });
  await client.sessions.putTemplate(id, { template: JSON.parse(readFileSync(new URL("template.json", folder), "utf8")) });
  for (const line of readFileSync(new URL("chat.jsonl", folder), "utf8").split("\n").filter(Boolean)) await client.sessions.createTurn(id, JSON.parse(line));
}

/** Tools, calls and memory with names and texts that would break a page that does not escape them. Wants `seedHostile`. */
export async function seedHostileTabs(client) {
  const evil = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>{{7*7}} مرحبا "'`;
  const long = "非常长的名字 VeryLongNameWithoutSpaces".repeat(12);
  const definition = { type: "function", function: { name: "Tool_with_a_very_long_name_that_does_not_end_here", description: `${evil} ${long}`, parameters: { type: "object", properties: { [evil]: { type: "string" } } } } };
  await client.tools.registerGroup("hostile", { name: `evil <b>${"x".repeat(40)}`, tools: [{ definition, permission: { executionPolicy: "ask-always" } }] });
  await client.tools.updateGroup("hostile", `evil <b>${"x".repeat(40)}`, { enabled: true });
  await client.tools.call("hostile", { tool: definition.function.name, args: { [evil]: `${evil} ${long}` } });
  await client.scratchpad.put("hostile", `${evil.replace("{{7*7}}", "")} ${"n".repeat(120)}`, { value: `${evil}\n${long}`, desc: `${evil} ${long}`, tags: [evil.slice(0, 60), "t".repeat(60)] });
  await client.sessions.create({ id: "hostile-memory", title: evil, profile: "memory" });
  await client.sessions.createTurn("hostile-memory", { role: "assistant", content: `memory('global_set.npc', '坏人', {"描述": ${JSON.stringify(`${evil} ${long}`)}, ${JSON.stringify(long)}: ${JSON.stringify(evil)}, "_showInEJS": false});` });
}
