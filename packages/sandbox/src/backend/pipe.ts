import { closeSync, constants, fchownSync, openSync, rmdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { makeStage, removeStage } from "./stage.ts";

/** The two outputs of a program, each with our end and its own. Whoever gets them closes all four. */
export interface OutputPipes {
  readonly ours: OutputEnds;
  readonly theirs: OutputEnds;
}

/** Descriptors of standard output and standard error. */
export type OutputEnds = readonly [number, number];

/** Makes named pipes at these paths; says whether it did. */
export type MakePipes = (paths: readonly string[]) => Promise<boolean>;

/**
 * Real pipes. Node connects programs by sockets, and those cannot be opened by name: a script that writes to
 * /dev/stderr would fail. Undefined where none can be made; sockets have to do then, as they do for the input: a
 * named pipe cannot be opened for reading once its writer is done.
 *
 * Each is used once: what a program may still hold of one never meets the next.
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
    // First to read: a pipe can only be opened for writing when someone reads.
    for (const flags of [constants.O_RDONLY | constants.O_NONBLOCK, constants.O_WRONLY]) {
      for (const anchor of anchors) opened.push(openSync(`/proc/self/fd/${anchor}`, flags));
    }
    const [output, errors, outputEnd, errorEnd] = opened;
    if (output === undefined || errors === undefined || outputEnd === undefined || errorEnd === undefined) {
      throw new Error("Two pipes have four ends.");
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

/** Names a file without opening it. Node passes the flag on and has no name for it. */
const O_PATH = 0o10000000;
const BATCH = 16;
const LOW = 4;

/** Pipes that nobody has opened yet, and that have no name any more. */
const stock: number[] = [];
let supply: Promise<boolean> | undefined;

async function takeAnchors(make: MakePipes): Promise<readonly number[] | undefined> {
  while (stock.length < 2) {
    supply ??= restock(make);
    if (!(await supply)) return undefined;
  }
  const taken = stock.splice(-2);
  // Made ready while the program runs; a failure is met by the one who finds the stock empty.
  if (stock.length < LOW) supply ??= restock(make);
  return taken;
}

/** Making one takes as long as starting a program does: they are made many at a time. */
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
    // No descriptors are left, for example: sockets have to do.
    return false;
  } finally {
    supply = undefined;
    await removeStage(folder);
  }
}
