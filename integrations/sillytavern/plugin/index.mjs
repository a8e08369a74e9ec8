// SillyTavern's server plugin for remote use: passes requests of the extension on to Tavernkeep, so that the browser need not reach it.
//
// SillyTavern has checked login and token by then. Address and key come from TAVERNKEEP_URL and TAVERNKEEP_KEY, or from config.json in
// this folder: {"url": "http://127.0.0.1:7117", "key": "…"}.
import { readFile } from "node:fs/promises";
import { Readable } from "node:stream";

export const info = { id: "tavernkeep", name: "Tavernkeep", description: "Passes requests of the Tavernkeep extension on to its server." };

const PASSED = ["accept", "idempotency-key", "if-match", "if-none-match", "last-event-id", "x-request-id"];
const RETURNED = ["content-type", "etag", "retry-after", "x-request-id", "trash-id", "idempotency-replayed", "cache-control"];

async function settings() {
  const file = await readFile(new URL("config.json", import.meta.url), "utf8").catch(() => "{}");
  const { url, key } = JSON.parse(file);
  return { url: (process.env.TAVERNKEEP_URL ?? url ?? "http://127.0.0.1:7117").replace(/\/+$/, ""), key: process.env.TAVERNKEEP_KEY ?? key ?? "" };
}

export async function init(router) {
  const { url, key } = await settings();
  router.use("/server", async (request, response) => {
    const stop = new AbortController();
    response.on("close", () => stop.abort());
    const headers = Object.fromEntries(PASSED.filter((name) => request.headers[name]).map((name) => [name, request.headers[name]]));
    if (key) headers.authorization = `Bearer ${key}`;
    const hasBody = !["GET", "HEAD"].includes(request.method) && request.body !== undefined && Number(request.headers["content-length"] ?? 0) > 0;
    if (hasBody) headers["content-type"] = "application/json";
    try {
      const answer = await fetch(url + request.url, { method: request.method, headers, signal: stop.signal, ...(hasBody && { body: JSON.stringify(request.body) }) });
      response.status(answer.status);
      for (const name of RETURNED) if (answer.headers.get(name)) response.setHeader(name, answer.headers.get(name));
      if (!answer.body) return response.end();
      response.flushHeaders();
      Readable.fromWeb(answer.body).on("error", () => response.destroy()).pipe(response);
    } catch (error) {
      if (!stop.signal.aborted) response.status(502).json({ error: { code: "bad_gateway", message: `${url} cannot be reached: ${error.cause?.code ?? error.message}` } });
    }
  });
}

export async function exit() {}
