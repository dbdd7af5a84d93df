import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import postgres from "postgres";
import { startPostgres } from "../tests/postgres-cluster.ts";
import { makeSkill } from "./generated-skill.ts";

const launcher = fileURLToPath(new URL("../packages/skillhold/bin/skillhold.js", import.meta.url));
const MB = 1024 * 1024;

/** What a gateway needs for a registry of this size: disk, memory and time, with the commands that operators use. */
export async function benchSizing(sizes: readonly number[]): Promise<void> {
  const cluster = await startPostgres();
  try {
    for (const size of sizes) {
      await measure("sqlite", size, undefined);
      await measure("postgres", size, await cluster.createDatabase());
    }
  } finally {
    await cluster.stop();
  }
}

async function measure(engine: string, size: number, database: string | undefined): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "skillhold-sizing-"));
  try {
    const data = join(root, "data");
    const env = {
      ...process.env,
      ...{ SKILLHOLD_DATA: data, XDG_CACHE_HOME: join(root, "cache"), SKILLHOLD_USER: "ada" },
      ...(database === undefined ? {} : { SKILLHOLD_STORE: database }),
    };
    writeSkills(join(root, "skills"), size);
    const publishMs = run(["publish", join(root, "skills")], env);
    const backup = join(root, "backup.tar.gz");
    const backupMs = run(["backup", "create", backup], env);
    const first = await serve(env);
    const again = await serve(env);
    const disk = sizeOf(data) + (database === undefined ? 0 : await databaseBytes(database));
    console.log(
      [
        `sizing ${engine}, ${size} skills: disk ${mb(disk)}, backup ${mb(statSync(backup).size)} in ${seconds(backupMs)}`,
        `publish ${seconds(publishMs)}`,
        `serve ready in ${seconds(first.readyMs)} first, ${seconds(again.readyMs)} again, ${mb(again.bytes)} of memory`,
      ].join("; "),
    );
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** A SKILL.md of about 4 KB, a script and a reference. */
function writeSkills(root: string, size: number): void {
  for (let index = 0; index < size; index += 1) {
    const { folder, body, files } = makeSkill(index);
    for (const part of ["scripts", "references"]) mkdirSync(join(root, folder, part), { recursive: true });
    writeFileSync(join(root, folder, "SKILL.md"), `${files["SKILL.md"]}\n${body.slice(0, 1500)}\n`);
    writeFileSync(join(root, folder, "scripts/run.sh"), files["scripts/run.sh"]);
    writeFileSync(join(root, folder, "references/more.md"), `# More\n\n${body}\n`);
  }
}

function run(args: readonly string[], env: NodeJS.ProcessEnv): number {
  const started = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [launcher, ...args], { env, encoding: "utf8" });
  if (status !== 0) throw new Error(`skillhold ${args.join(" ")} failed: ${stderr.slice(-2000)}`);
  return performance.now() - started;
}

/** The time until a gateway is ready, and its resident memory then. */
async function serve(env: NodeJS.ProcessEnv): Promise<{ readonly readyMs: number; readonly bytes: number }> {
  const started = performance.now();
  const args = [launcher, "serve", "--port", "0", "--no-seed", "--json"];
  const gateway = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "ignore"] });
  try {
    const url = await addressOf(gateway);
    const { status } = await fetch(`${url}/readyz`);
    if (status !== 200) throw new Error(`The gateway is not ready: ${status}.`);
    const readyMs = performance.now() - started;
    return { readyMs, bytes: residentBytes(gateway) };
  } finally {
    gateway.kill("SIGTERM");
    await once(gateway, "close");
  }
}

async function addressOf({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error("The gateway has no output.");
  for await (const line of createInterface({ input: stdout })) return JSON.parse(line).data.url;
  throw new Error("The gateway ended before it was ready.");
}

function residentBytes({ pid }: ChildProcess): number {
  const [, kilobytes = "0"] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) * 1024;
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

async function databaseBytes(url: string): Promise<number> {
  const client = postgres(url);
  try {
    const [row] = await client`select pg_database_size(current_database()) as bytes`;
    return Number(row?.["bytes"]);
  } finally {
    await client.end();
  }
}

function mb(bytes: number): string {
  return `${(bytes / MB).toFixed(bytes < 10 * MB ? 1 : 0)} MB`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
