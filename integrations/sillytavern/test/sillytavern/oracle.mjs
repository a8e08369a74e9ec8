// What the state must be at every message, from the texts alone: a second, simpler reading of the commands that the tests use.

const CALL = /@\.(SET|ADD|SUB|APPEND)\("([^"]+)",\s*(.+?)\);/g;

/** The state after each message of a chat. */
export function statesOf(chat, template) {
  let state = template;
  return chat.map((message) => {
    const counts = !message.is_user && !message.extra?.tool_invocations && message.extra?.type !== "narrator";
    if (counts) state = apply(state, message.mes);
    return state;
  });
}

function apply(before, text) {
  const state = structuredClone(before);
  for (const [, name, path, written] of text.matchAll(CALL)) {
    const value = JSON.parse(written);
    const keys = path.split(".");
    const last = keys.pop();
    const at = keys.reduce((object, key) => (object[key] ??= {}), state);
    if (name === "SET") at[last] = value;
    // What is no number is not counted: that call fails.
    if (name === "ADD" && typeof at[last] === "number") at[last] += value;
    if (name === "SUB" && typeof at[last] === "number") at[last] -= value;
    if (name === "APPEND") at[last].push(value);
  }
  return state;
}
