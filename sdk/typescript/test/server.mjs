// A real server for a test: its own data folder, a free port, stopped at the end.
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const binary = process.env.TAVERNKEEP_BINARY ?? ["debug", "quick", "release"].map((name) => join(root, "target", name, "tavernkeep")).find(existsSync);

// Settings of the environment would change what is tested.
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("TAVERNKEEP_")));

async function freePort() {
  const probe = createServer();
  await new Promise((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** Starts a server. `restart()` stops it hard and starts it again on the same port and data. */
export async function startServer(args = [], base = "") {
  if (!binary || !existsSync(binary)) throw new Error("no server binary: run `cargo build --bin tavernkeep` or set TAVERNKEEP_BINARY");
  const folder = await mkdtemp(join(tmpdir(), "tavernkeep-sdk-"));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}${base}`;
  let child;
  const start = async () => {
    child = spawn(binary, ["serve", "--data", folder, "--listen", `127.0.0.1:${port}`, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    child.stdout.on("data", (text) => (output += text));
    child.stderr.on("data", (text) => (output += text));
    for (;;) {
      if (child.exitCode !== null) throw new Error(`the server ended: ${output}`);
      const answer = await fetch(`${url}/health`).catch(() => undefined);
      if (answer?.ok) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
  };
  // A test that fails early must not leave a server behind.
  process.once("exit", () => child.kill("SIGKILL"));
  await start();
  return {
    url,
    folder,
    stop,
    start,
    async close() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
