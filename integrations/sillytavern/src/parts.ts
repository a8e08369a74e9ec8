// What the tests use without SillyTavern.

export * from "./bindings.ts";
export * from "./braces.ts";
export * from "./card.ts";
export * from "./chat.ts";
export * from "./identity.ts";
export * from "./path.ts";
export * from "./pending.ts";
export * from "./sessions.ts";
export * from "./sha256.ts";
export * from "./sync.ts";
export { TavernkeepClient } from "@tavernkeep/sdk";
