import { createHash } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { errorCodeOf, normalizeRelative } from "@skillhold/core/bundle";
import { SkillError } from "@skillhold/protocol/error";
import { z } from "zod";

const PREFIX = ".skillhold-";
const RECORD = "swap.json";

/** A temporary folder beside the files that are written. Its name says which process owns it. */
export function openSwap(parent: string): string {
  const swap = mkdtempSync(join(parent, `${PREFIX}${hostMark()}-${process.pid}-`));
  open.add(swap);
  return swap;
}

export function closeSwap(swap: string): void {
  rmSync(swap, { recursive: true, force: true });
  open.delete(swap);
}

/** Those of this process. */
const open = new Set<string>();

/** What a process that was killed meant to do, so that the next one can undo or finish it. */
const SwapRecord = z.object({
  /** The name of the folder that is replaced or removed. */
  name: z.string().regex(/^(?!\.\.?$)[^/\\\0]+$/),
  action: z.enum(["replace", "remove"]),
  /** Paths that move from the old folder to the new one. */
  extras: z.array(z.string()).readonly(),
});
export type SwapRecord = z.infer<typeof SwapRecord>;

/** Contract: the record is written before the first rename. */
export function recordSwap(swap: string, record: SwapRecord): void {
  writeFileSync(join(swap, RECORD), JSON.stringify(record));
}

/**
 * Undoes or finishes the changes of killed processes in a folder, and removes their temporary folders. Folders of running
 * processes, and those it cannot attribute, are left alone.
 */
export function recoverSwaps(parent: string): void {
  for (const name of findSwaps(parent)) {
    const swap = join(parent, name);
    if (!isAbandoned(name, swap)) continue;
    try {
      if (recover(parent, swap)) rmSync(swap, { recursive: true, force: true });
    } catch (error) {
      // A record that cannot be trusted leaves its folder as it is.
      if (error instanceof SkillError) continue;
      // Another process recovered it first, or the folder is read-only: the next write names the problem.
      if (!["ENOENT", "EACCES", "EPERM", "EROFS", "ENOTEMPTY", "EEXIST"].includes(errorCodeOf(error)))
        throw error;
    }
  }
}

/** The names of the temporary folders in a folder. */
export function findSwaps(parent: string): readonly string[] {
  try {
    const entries = readdirSync(parent, { withFileTypes: true });
    return entries
      .filter((each) => each.isDirectory() && each.name.startsWith(PREFIX))
      .map(({ name }) => name);
  } catch {
    // A missing folder has none; an unreadable one fails when it is written.
    return [];
  }
}

/** Whether the temporary folder is of no further use. */
function recover(parent: string, swap: string): boolean {
  const old = join(swap, "old");
  const fresh = join(swap, "new");
  const record = readRecord(swap);
  // A link is from elsewhere, such as a cloned repository.
  if (isLink(old) || isLink(fresh)) return false;
  // Without a record no rename happened: the folder has at most a part of a copy.
  if (record === undefined) return !existsSync(old);
  if (record.action === "remove") return true;
  const place = join(parent, record.name);
  if (isThere(place)) {
    // With both folders there, another program created the place in between.
    if (existsSync(old)) return !existsSync(fresh);
    moveBack(record.extras, fresh, place);
    return true;
  }
  if (!existsSync(old)) return !record.extras.some((path) => isThere(join(fresh, path)));
  moveBack(record.extras, fresh, old);
  renameSync(old, place);
  return true;
}

function moveBack(extras: readonly string[], from: string, to: string): void {
  for (const path of extras.map((each) => normalizeRelative(each))) {
    if (!isThere(join(from, path)) || isThere(join(to, path))) continue;
    if (hasLink(from, path) || hasLink(to, path)) throw linked(path);
    mkdirSync(dirname(join(to, path)), { recursive: true });
    renameSync(join(from, path), join(to, path));
  }
}

/** Whether a folder on the way to the path is a link, which would lead elsewhere. */
function hasLink(root: string, path: string): boolean {
  const parts = path.split("/").slice(0, -1);
  return parts.some((_, at) => isLink(join(root, ...parts.slice(0, at + 1))));
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function linked(path: string): SkillError {
  return new SkillError("RESOURCE_OUTSIDE_SKILL", `${path} leads out of its folder by a link.`, {
    details: { path },
  });
}

function readRecord(swap: string): SwapRecord | undefined {
  try {
    return SwapRecord.safeParse(JSON.parse(readFileSync(join(swap, RECORD), "utf8"))).data;
  } catch {
    return undefined;
  }
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** A change takes far less than an hour, on whichever machine of a shared disk it runs. */
const ABANDONED_MS = 3_600_000;

function isAbandoned(name: string, swap: string): boolean {
  const [, host, pid] = /^\.skillhold-([0-9a-f]{8})-(\d+)-/.exec(name) ?? [];
  if (host === undefined || pid === undefined || open.has(swap)) return false;
  if (host === hostMark() && !isRunning(Number(pid))) return true;
  const stats = lstatSync(swap, { throwIfNoEntry: false });
  return stats !== undefined && Date.now() - stats.mtimeMs > ABANDONED_MS;
}

/** A process with the id of this one, which did not create the folder, is gone. */
function isRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCodeOf(error) !== "ESRCH";
  }
}

function hostMark(): string {
  return createHash("sha256").update(hostname()).digest("hex").slice(0, 8);
}
