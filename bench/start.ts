import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { makeSkill } from "./generated-skill.ts";
import { withInstallation, workspaceLauncher } from "./installation.ts";
import { compare } from "./measure.ts";

const SKILLS = 100;
/** V8 returns the memory of the start within this time. */
const REST_MS = 10_000;
const MB = 1024;

/** How long the command line takes to start, and the memory of an idle gateway, from the sources and from an installation. */
export async function benchStart(): Promise<void> {
  const place = mkdtempSync(join(tmpdir(), "skillhold-start-"));
  try {
    writeSkills(join(place, "skills"));
    await withInstallation(async (installed) => {
      const launchers = { workspace: workspaceLauncher, installed };
      for (const [name, launcher] of Object.entries(launchers)) await benchCommands(name, launcher, place);
      const bare = await bareMemory();
      for (const [name, launcher] of Object.entries(launchers)) await benchIdle(name, launcher, place, bare);
    });
  } finally {
    // Revisions are laid out read-only.
    spawnSync("chmod", ["-R", "u+rwX", place]);
    rmSync(place, { recursive: true, force: true });
  }
}

function writeSkills(root: string): void {
  for (let index = 0; index < SKILLS; index += 1) {
    const { folder, files } = makeSkill(index);
    mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, folder, "SKILL.md"), files["SKILL.md"]);
  }
}

async function benchCommands(name: string, launcher: string, place: string): Promise<void> {
  const warm = envIn(join(place, name));
  const list = [launcher, "list", join(place, "skills"), "--json"];
  const [bare = 0, first = 0, help = 0, listing = 0] = await compare(
    [
      () => run(["-e", "0"], warm),
      () => run([launcher, "--help"], envIn(mkdtempSync(join(place, "cold-")))),
      () => run([launcher, "--help"], warm),
      () => run(list, warm),
    ],
    20,
  );
  const ratio = (ms: number) => (ms / bare).toFixed(2);
  console.log(
    `start ${name}: node -e 0 ${bare.toFixed(0)} ms, skillhold --help ${first.toFixed(0)} ms first, ${help.toFixed(0)} ms again, ratio ${ratio(help)} (aim: below 2); ` +
      `skillhold list of ${SKILLS} skills ${listing.toFixed(0)} ms, ratio ${ratio(listing)}`,
  );
}

function run(args: readonly string[], env: NodeJS.ProcessEnv): void {
  const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: "utf8" });
  if (status !== 0) throw new Error(`${args.join(" ")} failed: ${stderr}`);
}

/** The environment of a user with this home folder. */
function envIn(home: string): NodeJS.ProcessEnv {
  return { PATH: process.env["PATH"], HOME: home };
}

/** An idle gateway with the bundled skills, on a new data folder and on its second start. */
async function benchIdle(name: string, launcher: string, place: string, bare: number): Promise<void> {
  const env = envIn(join(place, `idle-${name}`));
  const [first, again] = [await idleMemory(launcher, env), await idleMemory(launcher, env)];
  console.log(
    `start ${name}: idle gateway ${first.toFixed(0)} MB first, ${again.toFixed(0)} MB again (aim: at most 150), ` +
      `${(again / bare).toFixed(2)} x a bare HTTP server (${bare.toFixed(0)} MB)`,
  );
}

async function idleMemory(launcher: string, env: NodeJS.ProcessEnv): Promise<number> {
  const args = [launcher, "serve", "--port", "0", "--json"];
  const gateway = spawn(process.execPath, args, { env, stdio: ["ignore", "ignore", "pipe"] });
  return await memoryAfter(gateway, '"gateway.ready"', gateway.stderr);
}

/** The memory of a Node program that answers HTTP requests and does nothing else. */
async function bareMemory(): Promise<number> {
  const script = 'require("node:http").createServer((_, r) => r.end()).listen(0, () => console.log("ready"))';
  const server = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  return await memoryAfter(server, "ready", server.stdout);
}

/** The resident memory in MB of a program at rest, some time after a line with this text. Ends the program. */
async function memoryAfter(
  child: ChildProcess,
  text: string,
  output: NodeJS.ReadableStream,
): Promise<number> {
  try {
    await untilLine(output, text);
    await sleep(REST_MS);
    const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8")) ?? [];
    return Number(kilobytes) / MB;
  } finally {
    child.kill("SIGTERM");
    await once(child, "exit");
  }
}

async function untilLine(output: NodeJS.ReadableStream, text: string): Promise<void> {
  const lines = createInterface({ input: output });
  const found = Promise.withResolvers<void>();
  lines.on("line", (line) => {
    if (line.includes(text)) found.resolve();
  });
  lines.on("close", () => found.reject(new Error(`The program ended before it printed ${text}.`)));
  await found.promise;
}
