import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isOpenToAll, stageRoot } from "@skillhold/sandbox/backend";
import type { InstallSpec } from "./spec.ts";

/** The folders of an environment. */
export function environmentPlaces(folder: string) {
  return {
    node: join(folder, "node_modules"),
    python: join(folder, "site"),
    /** Programs that packages install. */
    programs: [join(folder, "site", "bin"), join(folder, "node_modules", ".bin")],
    record: join(folder, "environment.json"),
  } as const;
}

/** The target of an environment: wheels and packages fit one interpreter version and one platform. */
export interface EnvironmentTarget {
  /** Undefined when the interpreter is missing. */
  readonly python: string | undefined;
  readonly node: string | undefined;
  readonly platform: string;
}

/** The name of the link from a set of specs, in any order, to its environment. */
export function environmentKey(specs: readonly InstallSpec[], target: EnvironmentTarget): string {
  const texts = [...new Set(specs.filter(isIsolated).map(({ text }) => text))].sort();
  return keyOf([texts, versionsOf(target)]);
}

/** The folder name of an environment: the same locked packages for the same interpreters share one folder. */
export function lockedKey(lock: string, target: EnvironmentTarget): string {
  return keyOf([lock, versionsOf(target)]);
}

/** The name of a skill's link to its environment. The name changes when the skill's needs change. */
export function linkKey(skill: string, needs: readonly string[], target: EnvironmentTarget): string {
  return keyOf([skill, [...new Set(needs)].sort(), versionsOf(target)]);
}

function versionsOf({ python, node, platform }: EnvironmentTarget): readonly unknown[] {
  return [python?.split(".", 2).join("."), node?.split(".", 1)[0], platform];
}

function keyOf(parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
}

/** True when the package goes into an environment instead of the system. */
export function isIsolated({ manager }: InstallSpec): boolean {
  return manager === "pip" || manager === "npm";
}

/**
 * The folder for environments below a data folder. Runs that root starts use another user, who cannot enter
 * root's folders, so root's environments are outside the data folder.
 */
export async function environmentHome(data: string, isRoot = process.getuid?.() === 0): Promise<string> {
  const folder = join(data, "environments");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (!isRoot) return folder;
  await chmod(folder, 0o755);
  if (await isOpenToAll(folder)) return folder;
  const name = createHash("sha256").update(folder).digest("hex").slice(0, 16);
  const root = await stageRoot();
  await sweepOrphans(root);
  const open = join(root, `environments-${name}`);
  await writeFile(`${open}${OWNER}`, folder);
  await mkdir(open, { recursive: true });
  await chmod(open, 0o755);
  return open;
}

const OWNER = ".owner";

/** Removes environments whose data folder no longer exists. */
async function sweepOrphans(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    if (!name.startsWith("environments-") || !name.endsWith(OWNER)) continue;
    const note = join(root, name);
    const owner = await readFile(note, "utf8").catch(() => "");
    if (owner === "" || existsSync(owner)) continue;
    await rm(note.slice(0, -OWNER.length), { recursive: true, force: true });
    await rm(note, { force: true });
  }
}
