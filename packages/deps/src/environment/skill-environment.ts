import { hash } from "node:crypto";
import { readFile, realpath, rename, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Mount, RuntimeKind, SandboxPaths } from "@skillhold/core/run";
import { PROGRAM_PATH, type Runtime } from "@skillhold/sandbox/backend";
import { environmentKey, environmentPlaces } from "./environment-folder.ts";
import { type EnvironmentRecord, readEnvironmentRecord } from "./environment-record.ts";
import { findTarget } from "./install-tool.ts";
import { type InstallSpec, readSpec } from "./spec.ts";

/** The installed packages of a skill, with the mounts and variables that a run needs to find them. */
export interface SkillEnvironment {
  readonly folder: string;
  /** The hash of the lock, which pins the content of every package; approvals are bound to it. */
  readonly lock: string;
  readonly record: EnvironmentRecord;
  /** Read-only mounts that join a run's `runtimes`. */
  readonly mounts: readonly Mount[];
  /** Variables to add to the program's environment. */
  readonly env: (paths: SandboxPaths) => Readonly<Record<string, string>>;
}

export interface EnvironmentPorts {
  /** The folder that `environmentHome` returns. */
  readonly home: string;
  readonly findRuntime: (kind: RuntimeKind) => Promise<Runtime>;
}

/**
 * Finds the environment for a set of specs: the complete one, else the partial one, else the global one.
 * Returns undefined when no environment exists.
 */
export async function findEnvironment(
  specs: readonly InstallSpec[],
  { home, findRuntime }: EnvironmentPorts,
): Promise<SkillEnvironment | undefined> {
  const target = await findTarget(findRuntime);
  const own = join(home, environmentKey(specs, target));
  const common = await readGlobal(home);
  const shared = common.length === 0 ? [] : [join(home, environmentKey(common, target))];
  for (const folder of [own, partialOf(own), ...shared]) {
    const found = await openNamedEnvironment(basename(folder), home);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Opens the environment with this folder name, if it exists. */
export async function openNamedEnvironment(
  name: string,
  home: string,
): Promise<SkillEnvironment | undefined> {
  const folder = await realpath(join(home, name)).catch(() => join(home, name));
  const record = await readEnvironmentRecord(folder);
  return record === undefined ? undefined : await openEnvironment(folder, record);
}

/** The folder of an environment that lacks some of its packages. */
export function partialOf(folder: string): string {
  return `${folder}.partial`;
}

/**
 * Node finds ES modules only in `node_modules` folders above a script, so the packages are mounted beside the
 * skill. Without mounts, NODE_PATH makes `require` work.
 */
async function openEnvironment(folder: string, record: EnvironmentRecord): Promise<SkillEnvironment> {
  const { node, python } = environmentPlaces(folder);
  const [hasNode, hasPython] = await Promise.all([isFolder(node), isFolder(python)]);
  const mounts: Mount[] = [];
  if (hasNode) mounts.push({ source: node, target: "/node_modules", isWritable: false });
  if (hasPython) mounts.push({ source: python, target: "/opt/skillhold/site", isWritable: false });
  return {
    folder,
    // Environments of older versions have no lock.
    lock: record.lock ?? `sha256:${hash("sha256", JSON.stringify([basename(folder), record]), "hex")}`,
    record,
    mounts,
    env: (paths) => {
      const programs = [
        ...(hasPython ? [join(paths.of(python), "bin")] : []),
        ...(hasNode ? [join(paths.of(node), ".bin")] : []),
      ];
      return {
        // System programs come first, so a package cannot replace them.
        PATH: [PROGRAM_PATH, ...programs].join(":"),
        ...(hasPython ? { PYTHONPATH: paths.of(python) } : {}),
        ...(hasNode ? { NODE_PATH: paths.of(node) } : {}),
      };
    },
  };
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}

/** The specs in the global environment. */
export async function readGlobal(home: string): Promise<readonly InstallSpec[]> {
  const text = await readFile(globalFile(home), "utf8").catch(() => "");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map(readSpec)
    .filter((spec) => typeof spec !== "string");
}

export async function writeGlobal(home: string, specs: readonly InstallSpec[], stage: string): Promise<void> {
  const draft = join(stage, "global");
  await writeFile(draft, specs.map(({ text }) => `${text}\n`).join(""));
  await rename(draft, globalFile(home));
}

function globalFile(home: string): string {
  return join(home, "global.txt");
}
