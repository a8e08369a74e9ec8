// Builds the extension into dist/tavernkeep, a folder that SillyTavern loads as it is, and its modules into build/ for the tests.
import { cp, mkdir, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const resolve = {
  alias: { "@tavernkeep/sdk": here("../../sdk/typescript/packages/sdk/src/index.ts"), "openapi-fetch": here("node_modules/openapi-fetch") },
  extensionAlias: { ".js": [".ts", ".js"] },
};

await rm(here("dist"), { recursive: true, force: true });
await rm(here("build"), { recursive: true, force: true });
await mkdir(here("dist/tavernkeep"), { recursive: true });
await cp(here("static"), here("dist/tavernkeep"), { recursive: true });
await cp(here("plugin"), here("dist/plugin"), { recursive: true });

const extension = await rolldown({ input: here("src/index.ts"), resolve });
await extension.write({ file: here("dist/tavernkeep/index.js"), format: "esm" });
await extension.close();

const parts = await rolldown({ input: here("src/parts.ts"), resolve });
await parts.write({ file: here("build/parts.js"), format: "esm" });
await parts.close();
