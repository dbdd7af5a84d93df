import { readdirSync, readFileSync, statfsSync, writeFileSync } from "node:fs";

/** Regular files, folders and links that a private folder may hold. The kernel has no limit for them. */
export const MOST_INODES = 50_000;

/**
 * Whether the processes of a sandbox use more memory than a limit, private and shared. This is for runs without a
 * control group: the kernel's limit for each process does not count shared memory.
 */
export function exceedsMemory(init: number, limitBytes: number): boolean {
  const pids = descendants(init);
  const cheap = pids.reduce(
    (sum, pid) => sum + readKilobytes(`/proc/${pid}/status`, /^(?:RssAnon|RssShmem):/),
    0,
  );
  if (cheap * 1024 <= limitBytes) return false;
  // Pages that processes share were counted more than once, so count them by their shares.
  const exact = pids.reduce(
    (sum, pid) => sum + readKilobytes(`/proc/${pid}/smaps_rollup`, /^Pss_(?:Anon|Shmem):/),
    0,
  );
  return (exact === 0 ? cheap : exact) * 1024 > limitBytes;
}

/** Whether one of these private folders holds more files than it may. */
export function exceedsInodes(folders: readonly string[]): boolean {
  return folders.some((folder) => {
    try {
      const { files, ffree } = statfsSync(folder);
      return files - ffree > MOST_INODES;
    } catch {
      // The sandbox has ended.
      return false;
    }
  });
}

/** Makes the kernel end the processes of a run before all others when the machine runs out of memory. */
export function preferForKill(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, "1000");
  } catch {
    // The process has ended, or the kernel keeps the value.
  }
}

/** A process and the processes below it. Orphans are below the first process of the sandbox. */
function descendants(init: number): readonly number[] {
  const found = [init];
  for (let at = 0; at < found.length && found.length < MOST_PROCESSES; at += 1) {
    const folder = `/proc/${found[at]}/task`;
    for (const task of listQuietly(folder)) {
      const children = readQuietly(`${folder}/${task}/children`).split(" ");
      found.push(...children.filter((each) => each !== "").map(Number));
    }
  }
  return found;
}

const MOST_PROCESSES = 4096;

function readKilobytes(file: string, field: RegExp): number {
  const lines = readQuietly(file)
    .split("\n")
    .filter((line) => field.test(line));
  return lines.reduce((sum, line) => sum + Number(/(\d+) kB$/.exec(line)?.[1] ?? 0), 0);
}

function listQuietly(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readQuietly(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}
