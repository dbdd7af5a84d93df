import { randomBytes } from "node:crypto";
import { readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { errorCodeOf } from "@skillhold/core/bundle";
import { pause, systemTimers, type Timers } from "@skillhold/core/port";
import { SkillError } from "@skillhold/protocol/error";
import { isAlive } from "@skillhold/sandbox/backend";

export interface LockOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** The machine's timers by default. */
  readonly timers?: Timers;
}

/**
 * Holds a lock file during `work`. Waits for the current holder, and throws TIMED_OUT when the wait is too
 * long. A lock whose process is dead is taken over. The lock only prevents duplicate work: results are
 * renamed into place, so two holders do no harm.
 */
export async function withLock<T>(file: string, work: () => Promise<T>, options: LockOptions): Promise<T> {
  const token = await take(file, options);
  // A fresh time stamp distinguishes a live holder from another process that reused its pid.
  const { timers = systemTimers } = options;
  const stopBeat = timers.every(BEAT_MS, () => {
    void utimes(file, new Date(), new Date()).catch(() => {});
  });
  try {
    return await work();
  } finally {
    stopBeat();
    if ((await readFile(file, "utf8").catch(() => "")) === token) await rm(file, { force: true });
  }
}

const BEAT_MS = 2000;
const STALE_MS = 30_000;
const WAIT_MS = 100;

async function take(file: string, options: LockOptions): Promise<string> {
  const token = `${process.pid} ${randomBytes(8).toString("hex")}\n`;
  const { timeoutMs, signal, timers = systemTimers } = options;
  const end = timers.now() + timeoutMs;
  for (;;) {
    signal?.throwIfAborted();
    try {
      await writeFile(file, token, { flag: "wx" });
      return token;
    } catch (error) {
      if (errorCodeOf(error) !== "EEXIST") throw error;
    }
    if (await isStale(file)) await rm(file, { force: true });
    else if (timers.now() > end) {
      throw new SkillError("TIMED_OUT", `Another installation holds the lock ${file}.`, {
        hint: "Wait until the other installation ends, then try again.",
      });
    } else await pause(WAIT_MS, timers, signal === undefined ? {} : { signal });
  }
}

async function isStale(file: string): Promise<boolean> {
  const [text, stats] = await Promise.all([
    readFile(file, "utf8").catch(() => undefined),
    stat(file).catch(() => undefined),
  ]);
  // The lock was just released, so try again at once.
  if (text === undefined || stats === undefined) return false;
  if (Date.now() - stats.mtimeMs > STALE_MS) return true;
  const pid = /^(\d{1,10}) [0-9a-f]+\n$/.exec(text)?.[1];
  // A lock file that is still being written has no pid yet.
  return pid !== undefined && !isAlive(Number(pid));
}
