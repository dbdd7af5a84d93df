import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { homedir, networkInterfaces, tmpdir } from "node:os";
import { extname, join } from "node:path";
import type { ProbeTask } from "./probe.ts";
import { probeCalls } from "./self-test-call.ts";
import { makeStage, removeStage } from "./stage.ts";

/** What a self-test lays out on the host, and what it sees there afterwards: all of it harmless, all of it taken away. */
export interface Canaries {
  /** What a program that reached a canary knows. */
  readonly token: string;
  /** The skill's folder, with the program in it. */
  readonly skill: string;
  /** The name of the program in the skill's folder. */
  readonly program: string;
  /** An empty folder for what is collected. */
  readonly collected: string;
  /** Names of the checks whose harm shows on the host, whatever the program says. */
  harms(): Promise<ReadonlySet<string>>;
  /** A process of the host, as a list of processes shows it. */
  readonly sentinel: string;
  dispose(): Promise<void>;
}

/** What takes away again what was laid out, last first. */
type Undo = (() => unknown)[];

const skillText = "---\nname: self-test\ndescription: Tries whether the sandbox confines.\n---\n";

export async function layCanaries(limits: ProbeTask["limits"]): Promise<Canaries> {
  const token = `canary-${randomBytes(16).toString("hex")}`;
  const undo: Undo = [];
  try {
    const home = await layFolder(undo, await writableHome(), ".skillhold-self-test-", token);
    const temporary = await layFolder(undo, tmpdir(), "skillhold-self-test-", token);
    const harmed = new Set<string>();
    const ears = await listen(undo, temporary.folder, (name) => harmed.add(name));
    const variable = setVariable(undo, token);
    const sentinel = await startSentinel(undo);
    const stage = await makeStage();
    undo.push(() => removeStage(stage));
    const skill = join(stage, "skill");
    const hostPid = sentinel.pid ?? 0;
    const calls = probeCalls(hostPid, process.platform, process.arch);
    const task: ProbeTask = { home, temporary, variable, hostPid, ...ears, calls, limits };
    const program = await writeSkill(skill, task);
    const collected = join(temporary.folder, "collected");
    const harms = async () => {
      if (sentinel.exitCode !== null || sentinel.signalCode !== null) harmed.add("signal-process");
      if (await exists(home.target)) harmed.add("write-home");
      if (await exists(temporary.target)) harmed.add("write-temporary");
      if (await isSkillChanged(skill)) harmed.add("change-skill");
      return harmed;
    };
    const description = await describe(hostPid);
    const dispose = () => takeAway(undo);
    return { token, skill, program, collected, harms, sentinel: description, dispose };
  } catch (error) {
    await takeAway(undo);
    throw error;
  }
}

async function takeAway(undo: Undo): Promise<void> {
  for (const each of undo.toReversed()) await each();
}

/** The home folder, or where it cannot be written to, as for some services, the folder they work in. */
async function writableHome(): Promise<string> {
  for (const folder of [homedir(), process.cwd()]) {
    const trial = await mkdtemp(join(folder, ".skillhold-self-test-")).catch(() => undefined);
    if (trial === undefined) continue;
    await rm(trial, { recursive: true });
    return folder;
  }
  return tmpdir();
}

async function layFolder(undo: Undo, parent: string, prefix: string, token: string) {
  const folder = await mkdtemp(join(parent, prefix));
  undo.push(() => rm(folder, { recursive: true, force: true }));
  // Open to all, so that what keeps a program out is the sandbox and not the file's mode.
  await chmod(folder, 0o777);
  const canary = join(folder, "canary");
  await writeFile(canary, token, { mode: 0o644 });
  return { folder, canary, target: join(folder, "written") };
}

async function listen(undo: Undo, folder: string, heard: (name: string) => void) {
  const address = otherAddress();
  const socket = join(folder, "socket");
  const abstractSocket =
    process.platform === "linux" ? `\0skillhold-${randomBytes(8).toString("hex")}` : undefined;
  const ear = (name: string, place: { host: string; port: number } | { path: string }) =>
    openEar(undo, place, () => heard(name));
  const loopback = await ear("connect-loopback", { host: "127.0.0.1", port: 0 });
  const other = address && (await ear("connect-address", { host: address, port: 0 }));
  await ear("connect-socket", { path: socket });
  await chmod(socket, 0o777);
  if (abstractSocket !== undefined) await ear("connect-abstract-socket", { path: abstractSocket });
  return {
    loopback: { host: "127.0.0.1", port: portOf(loopback) },
    address: address && other ? { host: address, port: portOf(other) } : undefined,
    socket,
    abstractSocket,
  };
}

function otherAddress(): string | undefined {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return all.find((each) => each.family === "IPv4" && !each.internal)?.address;
}

async function openEar(undo: Undo, place: object, heard: () => void): Promise<Server> {
  const server = createServer((socket) => {
    heard();
    socket.destroy();
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(place, resolve);
  });
  undo.push(() => void server.close());
  return server;
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** Its name is its own: one of another self-test would pass for it, and that holds another canary. */
function setVariable(undo: Undo, token: string): string {
  const variable = `SKILLHOLD_SELF_TEST_${randomBytes(8).toString("hex").toUpperCase()}`;
  process.env[variable] = token;
  undo.push(() => {
    delete process.env[variable];
  });
  return variable;
}

/** A process of the host with a canary in its environment, which nobody ends but who may signal it. */
async function startSentinel(undo: Undo): Promise<ChildProcess> {
  const sentinel = spawn("sleep", ["60"], { stdio: "ignore" });
  undo.push(() => sentinel.kill("SIGKILL"));
  await new Promise<void>((resolve, reject) => {
    sentinel.once("spawn", resolve);
    sentinel.once("error", reject);
  });
  return sentinel;
}

async function writeSkill(skill: string, task: ProbeTask): Promise<string> {
  await mkdir(skill);
  await writeFile(join(skill, "SKILL.md"), skillText);
  // Open to all here too; nobody else finds the folder.
  await chmod(skill, 0o777);
  await chmod(join(skill, "SKILL.md"), 0o666);
  await writeFile(join(skill, "probe.json"), JSON.stringify(task), { mode: 0o644 });
  // The program lies beside this file, as TypeScript in the workspace and as JavaScript in a package.
  const extension = extname(import.meta.filename);
  const program = `probe.m${extension.slice(1)}`;
  await copyFile(join(import.meta.dirname, `probe${extension}`), join(skill, program));
  await chmod(join(skill, program), 0o644);
  return program;
}

async function exists(file: string): Promise<boolean> {
  return (await stat(file).catch(() => undefined)) !== undefined;
}

async function isSkillChanged(skill: string): Promise<boolean> {
  const file = join(skill, "SKILL.md");
  const text = await readFile(file, "utf8").catch(() => "");
  return (
    text !== skillText || ((await stat(file)).mode & 0o777) !== 0o666 || (await exists(join(skill, "added")))
  );
}

async function describe(pid: number): Promise<string> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return `${pid}@${text.split(") ").at(-1)?.split(" ")[19]}`;
}
