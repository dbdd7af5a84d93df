import { createHash, randomBytes } from "node:crypto";
import { chmod, copyFile, lstat, mkdir, readdir, realpath, rename, rm, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Timers } from "@skillhold/core/port";
import type {
  Mount,
  Network,
  RunLimits,
  Sandbox,
  SandboxCommand,
  SandboxPaths,
  SandboxSpec,
} from "@skillhold/core/run";
import type { Runtime } from "../backend/runtime.ts";
import { isOpenToAll } from "../backend/runtime-copy.ts";
import { stageRoot } from "../backend/stage.ts";
import type { Redact } from "./tool-listing.ts";

export type ToolLanguage = "node" | "python";

/** The tools of one skill in one language, and the permissions of their process. */
export interface ToolHostSpec {
  /** The folder of the staged skill. */
  readonly skill: string;
  readonly language: ToolLanguage;
  /** The modules that declare tools, in order. */
  readonly files: readonly string[];
  readonly mounts: readonly Mount[];
  readonly network: Network;
  readonly env: Readonly<Record<string, string>>;
  /** The skill's installed packages and the variables to find them. */
  readonly environment?: {
    readonly mounts: readonly Mount[];
    readonly env: (paths: SandboxPaths) => Readonly<Record<string, string>>;
  };
  /** `wallMs` is ignored: each call has a timeout, and an idle process ends after `idleMs`. */
  readonly limits: RunLimits;
  readonly timing: ToolTiming;
}

export interface ToolTiming {
  /** The time for a process to load its modules. */
  readonly startMs: number;
  /** The default time for a call. */
  readonly callMs: number;
  /** The time for a canceled call or a closed process to stop before it is killed. */
  readonly graceMs: number;
  /** The time until an idle process ends. */
  readonly idleMs: number;
}

export interface ToolHostPorts {
  readonly sandbox: Sandbox;
  readonly findRuntime: (language: ToolLanguage) => Promise<Runtime>;
  /** Removes secret values from a tool's output. */
  readonly redact: Redact;
  readonly timers: Timers;
}

const require = createRequire(import.meta.url);

/**
 * The CPU time of a process as a multiple of one run, because it serves many calls with their own timeouts.
 */
const RUNS_OF_CPU = 10;

/** The sandbox of a bridge: it sees the skill, itself, its runtime and, for JavaScript, our zod. */
export async function bridgeSpec(spec: ToolHostSpec, runtime: Runtime): Promise<SandboxSpec> {
  const bridge = await mountOf(join(import.meta.dirname, "bridge"), "/opt/skillhold/bridge");
  const zod = await mountOf(dirname(require.resolve("zod/package.json")), "/opt/skillhold/zod");
  const own = spec.language === "node" ? [bridge, zod] : [bridge];
  return {
    skill: spec.skill,
    mounts: spec.mounts,
    runtimes: [...runtime.mounts, ...own, ...(spec.environment?.mounts ?? [])],
    network: spec.network,
    limits: limitsOfLife(spec.limits),
    hasChannel: true,
    command: (paths) => ({
      argv: [paths.of(runtime.program), ...bridgeArguments(spec, paths, bridge, zod)],
      env: { ...spec.environment?.env(paths), ...spec.env },
    }),
  };
}

async function mountOf(folder: string, target: string): Promise<Mount> {
  return { source: await openFolder(folder), target, isWritable: false };
}

function limitsOfLife(limits: RunLimits): RunLimits {
  return { ...limits, cpuMs: limits.cpuMs * RUNS_OF_CPU };
}

function bridgeArguments(
  spec: ToolHostSpec,
  paths: SandboxPaths,
  bridge: Mount,
  zod: Mount,
): SandboxCommand["argv"] {
  if (spec.language === "python") {
    // Unbuffered, so that output survives a kill; without bytecode, because the source folders are read-only.
    return ["-u", "-B", paths.of(join(bridge.source, "bridge.py")), paths.skill];
  }
  // Sources are TypeScript; published files are compiled.
  const main = import.meta.filename.endsWith(".ts") ? "main.mts" : "main.mjs";
  return [
    "--disable-warning=ExperimentalWarning",
    paths.of(join(bridge.source, main)),
    paths.skill,
    paths.of(zod.source),
  ];
}

/**
 * Makes one of our folders readable in the sandbox. Runs that root starts use another user, who cannot enter
 * root's folders, so a copy is kept per state of the folder.
 */
export async function openFolder(folder: string, isRoot = process.getuid?.() === 0): Promise<string> {
  const real = await realpath(folder);
  return isRoot && !(await isOpenToAll(real)) ? keepFolder(real) : real;
}

async function keepFolder(folder: string): Promise<string> {
  const files = await listFiles(folder);
  const hash = createHash("sha256").update(folder);
  for (const { path, size, mtimeMs } of files) hash.update(`\0${path}\0${size}\0${mtimeMs}`);
  // Only this user can write below the stage root, so an existing copy is trusted.
  const copy = join(await stageRoot(), "runtime", hash.digest("hex").slice(0, 32));
  if ((await lstat(copy).catch(() => undefined))?.isDirectory() === true) return copy;
  const draft = `${copy}.${randomBytes(8).toString("hex")}`;
  try {
    for (const { path } of files) await copyOpenly(join(folder, path), join(draft, path));
    await rename(draft, copy);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another process created the copy first.
    if ((await lstat(copy).catch(() => undefined))?.isDirectory() !== true) throw error;
  }
  return copy;
}

interface FoundFile {
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
}

async function listFiles(folder: string): Promise<readonly FoundFile[]> {
  const found: FoundFile[] = [];
  for (const path of (await readdir(folder, { recursive: true })).sort()) {
    const stats = await stat(join(folder, path));
    if (stats.isFile()) found.push({ path, size: stats.size, mtimeMs: stats.mtimeMs });
  }
  return found;
}

/** Sets modes explicitly, independent of the umask. */
async function copyOpenly(source: string, target: string): Promise<void> {
  const first = await mkdir(dirname(target), { recursive: true });
  for (let folder = dirname(target); first !== undefined; folder = dirname(folder)) {
    await chmod(folder, 0o755);
    if (folder === first) break;
  }
  await copyFile(source, target);
  await chmod(target, 0o644);
}
