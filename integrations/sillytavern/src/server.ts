// The connection to the server: directly, or through SillyTavern's server plugin.

import { ApiError, ConnectionError, ServerError, TavernkeepClient } from "@tavernkeep/sdk";
import { context } from "./sillytavern.ts";
import type { Settings } from "./settings.ts";

const PLUGIN = "/api/plugins/tavernkeep/server";
const TIMEOUT_MS = 20_000;

/** A client of the server that the settings name. It does not repeat requests: the next reconciliation does. */
export function connect(settings: Settings): TavernkeepClient {
  if (settings.through_plugin) {
    return new TavernkeepClient({ baseUrl: PLUGIN, retries: 0, timeoutMs: TIMEOUT_MS, fetch: withToken });
  }
  const address = settings.address.trim().replace(/\/+$/, "");
  return new TavernkeepClient({ baseUrl: address, retries: 0, timeoutMs: TIMEOUT_MS, ...(settings.key && { key: settings.key }) });
}

/** SillyTavern takes no request without its token against forgery. The plugin adds the key. */
const withToken: typeof fetch = async (input, init) => {
  const request = new Request(input, init);
  for (const [name, value] of Object.entries(context().getRequestHeaders())) {
    if (name.toLowerCase() !== "content-type") request.headers.set(name, value);
  }
  return fetch(request);
};

/** Whether an error says that the server is away, so that the same request can succeed later. */
export function isAway(error: unknown): boolean {
  return error instanceof ConnectionError || error instanceof ServerError || (error instanceof ApiError && error.status === 429);
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
