import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

export interface OutputPruning {
  /** Folders that were last changed before this time are removed. */
  readonly before: Date;
  readonly dryRun?: boolean;
}

/** The names of the runs whose outputs were removed. */
export async function pruneOutputs(
  folder: string,
  { before, dryRun = false }: OutputPruning,
): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const removed: string[] = [];
  // Only folders that runs made: the folder may also contain files of its user.
  for (const { name } of entries.filter((entry) => entry.isDirectory() && RUN_ID.test(entry.name))) {
    const path = join(folder, name);
    const changed = await stat(path).catch(() => undefined);
    if (changed === undefined || changed.mtime >= before) continue;
    if (!dryRun) await rm(path, { recursive: true, force: true });
    removed.push(name);
  }
  return removed;
}

const RUN_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
