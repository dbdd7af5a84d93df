import { globSync, statSync } from "node:fs";
import { join } from "node:path";

const MAX_BYTES = 200_000;

/** Picks this many files below the folders, spread evenly and in a stable order. */
export function sample(folders: readonly string[], pattern: string, count: number): readonly string[] {
  const files = folders.flatMap((folder) =>
    globSync(pattern, { cwd: folder }).map((path) => join(folder, path)),
  );
  const usable = [...new Set(files)].sort().filter((file) => {
    const stats = statSync(file, { throwIfNoEntry: false });
    return stats?.isFile() === true && stats.size <= MAX_BYTES;
  });
  const step = Math.max(1, usable.length / count);
  return Array.from(
    { length: Math.min(count, usable.length) },
    (_, at) => usable[Math.floor(at * step)] ?? "",
  );
}
