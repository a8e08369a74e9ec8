// The scripts around the build: a machine without Node builds the server, and a program that grew too large is noticed.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const run = (name, args, env = process.env) => spawnSync(join(root, "scripts", name), args, { cwd: root, env, encoding: "utf8" });

async function inFolder(work) {
  const folder = await mkdtemp(join(tmpdir(), "tavernkeep-build-"));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test("without Node the build says that the console is left out and how to get it", async () => {
  await inFolder(async (folder) => {
    for (const name of ["bash", "env", "dirname"]) {
      const found = spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).stdout.trim();
      await symlink(found, join(folder, name));
    }
    const built = run("web", ["build-if-possible"], { PATH: folder });
    assert.equal(built.status, 0, built.stderr);
    assert.match(built.stderr, /the console is left out: no Node .*`make web` builds it/);
    const asked = run("web", ["build"], { PATH: folder });
    assert.equal(asked.status, 1);
    assert.match(asked.stderr, /the console needs Node/);
  });
});

test("a program that is too large fails the build", async () => {
  await inFolder(async (folder) => {
    const file = join(folder, "tavernkeep");
    await writeFile(file, "");
    await truncate(file, 45_000_000);
    const small = run("binary-size", [file]);
    assert.equal(small.status, 0, small.stderr);
    assert.match(small.stdout, /45000000 bytes of at most 45000000/);
    await truncate(file, 45_000_001);
    assert.equal(run("binary-size", [file]).status, 1);
    assert.equal(run("binary-size", [join(folder, "nothing")]).status, 2);
  });
});
