import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { generate, stored } from "../scripts/generate.mjs";

test("the types are those of openapi.json; if not, run `npm run generate`", async () => {
  assert.ok((await generate()) === (await stored()), "packages/sdk/src/schema.ts is stale: run `npm run generate`");
});

test("every operation of the document has a method", async () => {
  const document = JSON.parse(await readFile(new URL("../../../openapi.json", import.meta.url), "utf8"));
  const { readdir } = await import("node:fs/promises");
  const folder = new URL("../packages/sdk/src/", import.meta.url);
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".ts") && name !== "schema.ts");
  const source = (await Promise.all(files.map((name) => readFile(new URL(name, folder), "utf8")))).join("\n");
  // Pages and texts for people and monitors, a stream that `events` reads, and a download.
  const others = new Set(["get_home", "get_docs", "get_openapi", "get_metrics", "listen", "export_account", "export_memory_archive"]);
  const missing = [];
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of ["get", "put", "post", "patch", "delete"]) {
      const operation = item[method];
      if (!operation || others.has(operation.operationId)) continue;
      if (!source.includes(`.${method.toUpperCase()}("${path}"`)) missing.push(operation.operationId);
    }
  }
  assert.deepEqual(missing, []);
});

test("the lock file names no registry", async () => {
  const lock = await readFile(new URL("../package-lock.json", import.meta.url), "utf8");
  assert.doesNotMatch(lock, /"resolved": "https?:/);
});
