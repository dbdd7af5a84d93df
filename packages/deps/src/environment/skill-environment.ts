import { readFile, rename, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Mount, RuntimeKind, SandboxPaths } from "@skillhold/core/run";
import { PROGRAM_PATH, type Runtime } from "@skillhold/sandbox/backend";
import { environmentKey, environmentPlaces } from "./environment-folder.ts";
import { type EnvironmentRecord, readRecord } from "./environment-record.ts";
import { findTarget } from "./install-tool.ts";
import { type InstallSpec, readSpec } from "./spec.ts";

/** Packages that were installed for a skill, and what a run needs to find them. */
export interface SkillEnvironment {
  readonly folder: string;
  readonly record: EnvironmentRecord;
  /** Read-only parts of the interpreters: `runtimes` of a run. */
  readonly mounts: readonly Mount[];
  /** Added to the variables of the program. */
  readonly env: (paths: SandboxPaths) => Readonly<Record<string, string>>;
}

export interface EnvironmentPorts {
  /** The folder for environments: `environmentHome`. */
  readonly home: string;
  readonly findRuntime: (kind: RuntimeKind) => Promise<Runtime>;
}

/**
 * The environment for what a skill needs: its own, else its own without what could not be installed, else the one
 * for all. Undefined when nothing was installed.
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
    const found = await openNamed(basename(folder), home);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The environment in a folder of this name, if one was made there. */
export async function openNamed(name: string, home: string): Promise<SkillEnvironment | undefined> {
  const folder = join(home, name);
  const record = await readRecord(folder);
  return record === undefined ? undefined : await openEnvironment(folder, record);
}

/** An environment that lacks something of what it was made for. */
export function partialOf(folder: string): string {
  return `${folder}.partial`;
}

/**
 * Node looks for packages beside the folders above a script, and for modules nowhere else: inside, they lie beside
 * the skill. Where things are not mounted, NODE_PATH helps scripts that use `require`.
 */
async function openEnvironment(folder: string, record: EnvironmentRecord): Promise<SkillEnvironment> {
  const { node, python } = environmentPlaces(folder);
  const [hasNode, hasPython] = await Promise.all([isFolder(node), isFolder(python)]);
  const mounts: Mount[] = [];
  if (hasNode) mounts.push({ source: node, target: "/node_modules", isWritable: false });
  if (hasPython) mounts.push({ source: python, target: "/opt/skillhold/site", isWritable: false });
  return {
    folder,
    record,
    mounts,
    env: (paths) => {
      const programs = [
        ...(hasPython ? [join(paths.of(python), "bin")] : []),
        ...(hasNode ? [join(paths.of(node), ".bin")] : []),
      ];
      return {
        // Programs of the system come first: a package must not take their place.
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

/** What the environment for all skills holds. */
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
