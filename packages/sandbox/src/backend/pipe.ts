import { closeSync, constants, fchownSync, openSync, rmdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { makeStage, removeStage } from "./stage.ts";

/** The two output pipes of a program, with both ends each. The caller closes all four. */
export interface OutputPipes {
  readonly ours: OutputEnds;
  readonly theirs: OutputEnds;
}

/** Descriptors of standard output and standard error. */
export type OutputEnds = readonly [number, number];

/** Creates named pipes at these paths, and returns whether it succeeded. */
export type MakePipes = (paths: readonly string[]) => Promise<boolean>;

/**
 * Opens real pipes. Node connects programs by sockets, which cannot be opened by name, so a script that
 * writes to /dev/stderr would fail. Returns undefined when pipes cannot be created; sockets are the fallback,
 * and are always used for the input, because a named pipe cannot be opened for reading after its writer is
 * done.
 *
 * Each pipe is used once, so a program that keeps one open never reaches the next program.
 */
export async function openPipes(
  owner: { readonly uid: number; readonly gid: number } | undefined,
  make: MakePipes,
): Promise<OutputPipes | undefined> {
  if (process.platform !== "linux") return undefined;
  const anchors = await takeAnchors(make);
  if (anchors === undefined) return undefined;
  const opened: number[] = [];
  try {
    // The reading end first: a pipe can be opened for writing only when it has a reader.
    for (const flags of [constants.O_RDONLY | constants.O_NONBLOCK, constants.O_WRONLY]) {
      for (const anchor of anchors) opened.push(openSync(`/proc/self/fd/${anchor}`, flags));
    }
    const [output, errors, outputEnd, errorEnd] = opened;
    if (output === undefined || errors === undefined || outputEnd === undefined || errorEnd === undefined) {
      throw new Error("Expected four pipe ends.");
    }
    if (owner !== undefined) for (const end of [output, errors]) fchownSync(end, owner.uid, owner.gid);
    return { ours: [output, errors], theirs: [outputEnd, errorEnd] };
  } catch (error) {
    for (const descriptor of opened) closeSync(descriptor);
    throw error;
  } finally {
    for (const anchor of anchors) closeSync(anchor);
  }
}

/** Refers to a file without opening it. Node accepts the flag but has no constant for it. */
const O_PATH = 0o10000000;
const BATCH = 16;
const LOW = 4;

/** Unused pipes whose names are already removed. */
const stock: number[] = [];
let supply: Promise<boolean> | undefined;

async function takeAnchors(make: MakePipes): Promise<readonly number[] | undefined> {
  while (stock.length < 2) {
    supply ??= restock(make);
    if (!(await supply)) return undefined;
  }
  const taken = stock.splice(-2);
  // Refills in the background; a failure shows when the stock is empty.
  if (stock.length < LOW) supply ??= restock(make);
  return taken;
}

/** Creates many pipes at once, because creating one takes as long as starting a program. */
async function restock(make: MakePipes): Promise<boolean> {
  const folder = await makeStage().catch(() => undefined);
  if (folder === undefined) return false;
  try {
    const paths = Array.from({ length: BATCH }, (_, index) => join(folder, String(index)));
    if (!(await make(paths))) return false;
    for (const path of paths) {
      stock.push(openSync(path, O_PATH | constants.O_NOFOLLOW));
      unlinkSync(path);
    }
    rmdirSync(folder);
    return true;
  } catch {
    // For example, no descriptors are left; sockets are the fallback.
    return false;
  } finally {
    supply = undefined;
    await removeStage(folder);
  }
}
