// The examples of the README are compiled with the packages' types and run against a real server.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import typescript from "typescript";
import { TavernkeepClient } from "@tavernkeep/sdk";
import { startServer } from "./server.mjs";

const root = fileURLToPath(new URL("../", import.meta.url));
const examples = [...readFileSync(join(root, "README.md"), "utf8").matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code);
let server;
let client;
before(async () => {
  server = await startServer();
  client = new TavernkeepClient({ baseUrl: server.url });
});
after(() => server.close());

/** Compiles an example with what it takes for granted, and runs it. Answers with what it has printed. */
async function run(code, { given = "", after = "" } = {}) {
  const folder = await mkdtemp(join(root, "test/readme-"));
  try {
    const file = join(folder, "example.ts");
    const own = code.replace("http://127.0.0.1:7117", server.url).replace(/, key: "[^"]*"/, "");
    const client = own.includes("new TavernkeepClient") ? "" : `import { TavernkeepClient } from "@tavernkeep/sdk";\nconst client = new TavernkeepClient({ baseUrl: ${JSON.stringify(server.url)} });\n`;
    await writeFile(file, `${client}${given}\n${own}\n${after}`);
    const options = { strict: true, target: typescript.ScriptTarget.ES2023, module: typescript.ModuleKind.NodeNext, moduleResolution: typescript.ModuleResolutionKind.NodeNext, types: ["node"], skipLibCheck: true };
    const program = typescript.createProgram([file], options);
    const wrong = typescript.getPreEmitDiagnostics(program).map((one) => typescript.flattenDiagnosticMessageText(one.messageText, "\n"));
    assert.deepEqual(wrong, [], own);
    program.emit();
    return await import(pathToFileURL(file.replace(/\.ts$/, ".js")).href);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test("the README has three examples", () => assert.equal(examples.length, 3));

test("the first session, turn and state", async () => {
  const { state, turn } = await run(examples[0], { after: "export { state, turn };" });
  assert.deepEqual(state, { yuki: { affinity: 42 } });
  assert.equal(turn.commands[0].status, "applied");
});

test("events are followed until one is enough", async () => {
  const given = `
    export const seen: string[] = [];
    async function readEverythingAgain() {
      seen.push("ready");
      await client.sessions.createTurn("tale", { role: "assistant", content: '@.ADD("yuki.affinity", 1);' });
    }
    async function show(data: object) {
      seen.push("session_id" in data ? String(data.session_id) : "");
    }`;
  const enough = examples[1].replace("await show(event.data);", "{ await show(event.data); break; }");
  const { seen } = await run(enough, { given });
  assert.deepEqual(seen, ["ready", "tale"]);
});

test("variables for display", async () => {
  await client.sessions.create({ id: "inn" });
  await client.floors.create({ id: "f0", session_id: "inn" });
  await client.pages.create({ id: "p0", floor_id: "f0", page_kind: "output" });
  await client.variables.putMany({ items: [{ scope: "chat", scope_id: "inn", key: "mood", value: "calm" }, { scope: "global", scope_id: "global", key: "mood", value: "none" }] });
  const { lines } = await run(examples[2].replace(/console\.log\((.*)\);/, "lines.push([$1]);"), { given: "export const lines: unknown[][] = [];" });
  assert.deepEqual(lines, [["mood", "chat", "wins"], ["mood", "global", "hidden by chat"]]);
});
