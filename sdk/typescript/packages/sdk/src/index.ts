// @tavernkeep/sdk: a typed client of the Tavernkeep HTTP API.

export { paginate, TavernkeepClient } from "./client.js";
export * from "./errors.js";
export type { EventOptions, EventQuery, StreamEvent } from "./events.js";
export { type Json, type JsonObject, parseJson, stringifyJson } from "./json.js";
export type { ImportOptions } from "./resources/imports.js";
export type { components, operations, paths } from "./schema.js";
export { type CallOptions, type ClientOptions, responseInfo } from "./transport.js";
export type * from "./types.js";
