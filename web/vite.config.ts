import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig, type Plugin } from "vite";

const here = import.meta.dirname;

/** Writes a compressed copy beside each text file; the server sends it to browsers that accept it. */
function compressed(): Plugin {
  return {
    name: "compressed",
    apply: "build",
    closeBundle() {
      const folder = join(here, "dist");
      for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
        if (!/\.(js|css|html|svg)$/.test(name)) continue;
        const file = join(folder, name);
        writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }));
      }
    },
  };
}

export default defineConfig({
  // The server may have a base path that only it knows, so all addresses are relative.
  base: "./",
  plugins: [svelte(), compressed()],
  resolve: {
    alias: {
      "@tavernkeep/sdk": join(here, "../sdk/typescript/packages/sdk/src/index.ts"),
      "@tavernkeep/client-helpers": join(here, "../sdk/typescript/packages/client-helpers/src/index.ts"),
      "openapi-fetch": join(here, "node_modules/openapi-fetch"),
    },
  },
  build: { target: "es2022", chunkSizeWarningLimit: 1500, modulePreload: { polyfill: false } },
  server: {
    proxy: Object.fromEntries(
      ["/account", "/sessions", "/branches", "/floors", "/pages", "/snapshots", "/characters", "/functions", "/global-snapshots", "/variables", "/tools", "/calls", "/approvals", "/trash", "/jobs", "/keys", "/browsers", "/sign-in", "/sign-out", "/compare", "/apply", "/events", "/health", "/docs", "/openapi.json"].map(
        (path) => [path, process.env.TAVERNKEEP_URL ?? "http://127.0.0.1:7117"],
      ),
    ),
  },
});
