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

/**
 * The CPU time of the processes of a sandbox, for runs without a control group: the kernel's limit counts each process
 * alone. The time of a process that lives and ends between two looks is lost if its parent does not wait for it.
 */
export class CpuSample {
  readonly #init: number;
  /** The own time of each process at the last look, also of processes that have ended since. */
  readonly #own = new Map<string, number>();

  constructor(init: number) {
    this.#init = init;
  }

  ms(): number {
    let withChildren = 0;
    for (const pid of descendants(this.#init)) {
      const times = readTimes(pid);
      if (times === undefined) continue;
      this.#own.set(`${pid} ${times.startedAt}`, times.own);
      withChildren += times.own + times.children;
    }
    const alone = [...this.#own.values()].reduce((sum, each) => sum + each, 0);
    return Math.max(alone, withChildren) * MS_PER_TICK;
  }
}

/** The kernel reports times in hundredths of a second on all processors. */
const MS_PER_TICK = 10;

interface Times {
  readonly startedAt: string;
  readonly own: number;
  /** Of children that ended and were waited for. */
  readonly children: number;
}

function readTimes(pid: number): Times | undefined {
  const text = readQuietly(`/proc/${pid}/stat`);
  // The process name is in parentheses and may itself contain parentheses.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [user, system, childUser, childSystem] = fields.slice(11, 15).map(Number);
  const startedAt = fields[19];
  if (startedAt === undefined || user === undefined || system === undefined) return undefined;
  return { startedAt, own: user + system, children: (childUser ?? 0) + (childSystem ?? 0) };
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
