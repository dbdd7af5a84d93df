import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isOpenToAll, stageRoot } from "@skillhold/sandbox/backend";
import type { InstallSpec } from "./spec.ts";

/** The parts of an environment. */
export function environmentPlaces(folder: string) {
  return {
    node: join(folder, "node_modules"),
    python: join(folder, "site"),
    /** Programs that packages bring. */
    programs: [join(folder, "site", "bin"), join(folder, "node_modules", ".bin")],
    record: join(folder, "environment.json"),
  } as const;
}

/** What an environment is made for: wheels and packages fit one version of an interpreter and one machine. */
export interface EnvironmentTarget {
  /** Undefined when there is none. */
  readonly python: string | undefined;
  readonly node: string | undefined;
  readonly platform: string;
}

/** The name of the environment for these specs: the same for the same set, in whatever order. */
export function environmentKey(specs: readonly InstallSpec[], target: EnvironmentTarget): string {
  const texts = [...new Set(specs.filter(isIsolated).map(({ text }) => text))].sort();
  return keyOf([texts, versionsOf(target)]);
}

/** The name of the link from a skill to its environment: another one when it needs something else. */
export function linkKey(skill: string, needs: readonly string[], target: EnvironmentTarget): string {
  return keyOf([skill, [...new Set(needs)].sort(), versionsOf(target)]);
}

function versionsOf({ python, node, platform }: EnvironmentTarget): readonly unknown[] {
  return [python?.split(".", 2).join("."), node?.split(".", 1)[0], platform];
}

function keyOf(parts: readonly unknown[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
}

/** Whether it goes into an environment, and not into the system. */
export function isIsolated({ manager }: InstallSpec): boolean {
  return manager === "pip" || manager === "npm";
}

/**
 * The folder for environments, below a folder for data. A run that root starts is another user's, to whom root's
 * folders are closed: then they lie where that user can reach them.
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

/** Takes away the environments of data folders that are gone. */
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
