import { createHash, randomBytes } from "node:crypto";
import { chmod, copyFile, lstat, mkdir, readdir, realpath, rename, rm, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
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

/** The tools of one skill in one language, and what their process may do. */
export interface ToolHostSpec {
  /** The folder of the staged skill. */
  readonly skill: string;
  readonly language: ToolLanguage;
  /** The modules that declare tools, in their order. */
  readonly files: readonly string[];
  readonly mounts: readonly Mount[];
  readonly network: Network;
  readonly env: Readonly<Record<string, string>>;
  /** Packages that were installed for the skill, and the variables by which they are found. */
  readonly environment?: {
    readonly mounts: readonly Mount[];
    readonly env: (paths: SandboxPaths) => Readonly<Record<string, string>>;
  };
  /** `wallMs` is not used: a call has its time-out, and a process without calls is ended after `idleMs`. */
  readonly limits: RunLimits;
  readonly timing: ToolTiming;
}

export interface ToolTiming {
  /** For a process to load its modules. */
  readonly startMs: number;
  /** For a call that says nothing else. */
  readonly callMs: number;
  /** For a call to stop after it was cancelled, before its process is ended. */
  readonly graceMs: number;
  /** How long a process without calls is kept. */
  readonly idleMs: number;
}

export interface ToolHostPorts {
  readonly sandbox: Sandbox;
  readonly findRuntime: (language: ToolLanguage) => Promise<Runtime>;
  /** Takes the values of secrets out of what a tool says. */
  readonly redact: Redact;
}

const require = createRequire(import.meta.url);

/** What a process may compute in its whole life, in runs: it serves many calls, each with a time-out of its own. */
const RUNS_OF_CPU = 10;

/** How a bridge is started: it sees the skill, itself, its runtime and, for JavaScript, our zod. */
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
    // Unbuffered, else what was printed is lost when the process is ended; and nothing can be written beside sources.
    return ["-u", "-B", paths.of(join(bridge.source, "bridge.py")), paths.skill];
  }
  // The sources are TypeScript; what is published has been compiled.
  const main = import.meta.filename.endsWith(".ts") ? "main.mts" : "main.mjs";
  return [
    "--disable-warning=ExperimentalWarning",
    paths.of(join(bridge.source, main)),
    paths.skill,
    paths.of(zod.source),
  ];
}

/**
 * A folder of ours where the program in the sandbox can read it. A run that root starts is another user's, to whom
 * root's folders are closed: for that a copy is kept, one for each state of the folder.
 */
export async function openFolder(folder: string, isRoot = process.getuid?.() === 0): Promise<string> {
  const real = await realpath(folder);
  return isRoot && !(await isOpenToAll(real)) ? keepFolder(real) : real;
}

async function keepFolder(folder: string): Promise<string> {
  const files = await listFiles(folder);
  const hash = createHash("sha256").update(folder);
  for (const { path, size, mtimeMs } of files) hash.update(`\0${path}\0${size}\0${mtimeMs}`);
  // Nobody else can write below the root of stages, so that what lies there is what was put there.
  const copy = join(await stageRoot(), "runtime", hash.digest("hex").slice(0, 32));
  if ((await lstat(copy).catch(() => undefined))?.isDirectory() === true) return copy;
  const draft = `${copy}.${randomBytes(8).toString("hex")}`;
  try {
    for (const { path } of files) await copyOpenly(join(folder, path), join(draft, path));
    await rename(draft, copy);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another process was faster.
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

/** The umask of the process must not close what is made. */
async function copyOpenly(source: string, target: string): Promise<void> {
  const first = await mkdir(dirname(target), { recursive: true });
  for (let folder = dirname(target); first !== undefined; folder = dirname(folder)) {
    await chmod(folder, 0o755);
    if (folder === first) break;
  }
  await copyFile(source, target);
  await chmod(target, 0o644);
}
