import { chown, lchown, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { readBounded } from "@skillhold/core/bundle";
import type { HostList, Mount, RunLimits, Sandbox, SandboxPaths } from "@skillhold/core/run";
import { SkillError } from "@skillhold/protocol/error";
import { supervise, takeUser } from "@skillhold/sandbox/backend";
import type { CommandResult } from "./command.ts";
import type { CommandArgv } from "./install-command.ts";

/** How package managers run: in the sandbox, with one writable folder. */
export interface ManagerOptions {
  readonly sandbox: Sandbox;
  /** An empty folder, which the sandbox shows in place of a skill. */
  readonly empty: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export interface ManagerCommand {
  /** The only folder that the program can change. */
  readonly folder: string;
  /** Files of the program and its settings. */
  readonly runtimes: readonly Mount[];
  readonly settings: readonly Mount[];
  readonly network: HostList;
  readonly command: (paths: SandboxPaths) => {
    readonly argv: CommandArgv;
    readonly env: Readonly<Record<string, string>>;
  };
}

const MB = 1024 * 1024;
const TARGET = "/environment";
/** Caches and temporary files are in the folder, because the private folders of a sandbox are memory. */
export const SCRATCH = ".scratch";

const limitsOf = (timeoutMs: number): RunLimits => ({
  wallMs: Math.max(1, timeoutMs),
  cpuMs: Math.max(1000, 2 * timeoutMs),
  memoryBytes: 2048 * MB,
  processes: 256,
  diskBytes: 1024 * MB,
  outputBytes: 4 * MB,
});

/**
 * Runs a package manager in the sandbox. Never on the host: packages are written by strangers, and a manager may run
 * their programs in spite of its own options. Never rejects for a failed program: the result says what happened.
 */
export async function runManager(request: ManagerCommand, options: ManagerOptions): Promise<CommandResult> {
  const { sandbox, empty, timeoutMs, signal } = options;
  if (signal?.aborted === true) return { ...nothing, outcome: "aborted" };
  if (timeoutMs <= 0) return { ...nothing, outcome: "timed_out" };
  await mkdir(join(request.folder, SCRATCH), { recursive: true });
  return await withOwner(request.folder, async () => {
    const limits = limitsOf(timeoutMs);
    const mount = { source: request.folder, target: TARGET, isWritable: true };
    try {
      const running = await sandbox.start({
        skill: empty,
        mounts: [mount, ...request.settings],
        runtimes: request.runtimes,
        network: request.network,
        limits,
        hasChannel: false,
        command: request.command,
        ...(signal === undefined ? {} : { signal }),
      });
      try {
        const result = await supervise(running, limits, signal === undefined ? {} : { signal });
        const refused = running.refusedHosts?.() ?? [];
        return { ...commandResult(result), ...(refused.length === 0 ? {} : { refused }) };
      } finally {
        await running.dispose();
      }
    } catch (error) {
      if (signal?.aborted === true) return { ...nothing, outcome: "aborted" };
      if (!(error instanceof SkillError)) throw error;
      return { ...nothing, problem: error.message };
    }
  });
}

const nothing: CommandResult = { code: undefined, outcome: "not_started", stdout: "", stderr: "" };

function commandResult(result: Awaited<ReturnType<typeof supervise>>): CommandResult {
  const { code, outcome, exceeded, stdout, stderr } = result;
  if (outcome === "timed_out" || outcome === "aborted") return { code: undefined, outcome, stdout, stderr };
  const problem =
    exceeded === undefined ? {} : { problem: `the package manager exceeded its ${exceeded} limit` };
  return { code: exceeded === undefined ? code : 1, outcome: "exited", stdout, stderr, ...problem };
}

/**
 * Gives a folder to an unprivileged user while `work` runs. A run that root starts uses the owner of its writable
 * folder.
 */
async function withOwner<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const user = process.getuid?.() === 0 ? takeUser() : undefined;
  if (user === undefined) return await work();
  try {
    await own(folder, user.uid, user.gid);
    return await work();
  } finally {
    await own(folder, 0, 0);
    user.release();
  }
}

async function own(folder: string, uid: number, gid: number): Promise<void> {
  await chown(folder, uid, gid);
  const waiting = [folder];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const entry of await readdir(next, { withFileTypes: true })) {
      const path = join(next, entry.name);
      // Never follows a link, which the package manager may have made.
      await lchown(path, uid, gid);
      if (entry.isDirectory()) waiting.push(path);
    }
  }
}

/**
 * Gives `work` an empty folder beside an environment, and removes it afterward. Specs are resolved there and never in the
 * environment: pip builds a package that comes by address, and that program could put files where the host writes later.
 */
export async function withResolution<T>(
  environment: string,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = `${environment}.resolution`;
  const remove = () => rm(folder, { recursive: true, force: true });
  await remove();
  await mkdir(folder, { recursive: true });
  try {
    return await work(folder);
  } finally {
    await remove();
  }
}

const MOST_LOCK_BYTES = 64 * MB;

/** The text of a file directly in a folder of a resolution; empty if it is missing, a link, special or too large. */
export function readResolved(folder: string, name: string): string {
  const read = readBounded(join(folder, name), MOST_LOCK_BYTES);
  return "problem" in read ? "" : new TextDecoder().decode(read.bytes);
}

/** Removes caches and temporary files. */
export async function removeScratch(folder: string): Promise<void> {
  await rm(join(folder, SCRATCH), { recursive: true, force: true });
}
