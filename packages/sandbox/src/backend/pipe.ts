import { closeSync, constants, fchownSync, openSync } from "node:fs";

/** The pipes of a program's standard streams, with both ends each. The caller closes all six. */
export interface StandardPipes {
  readonly ours: PipeEnds;
  readonly theirs: PipeEnds;
}

/** Descriptors of standard input, output and error. */
export type PipeEnds = readonly [number, number, number];

/** Creates anonymous pipes, and returns a descriptor per pipe that refers to it without opening an end. */
export type MakePipes = () => Promise<readonly number[]>;

/**
 * Opens real pipes. Node connects programs by sockets, which work in both directions and cannot be opened by name, so a
 * script that opens /dev/stdin or /dev/stderr would fail. Named pipes would reveal the path of a host folder, and opening
 * one for reading waits for a writer. Returns undefined when pipes cannot be created; sockets are the fallback.
 *
 * Each pipe is used once, so a program that keeps one open never reaches the next program.
 */
export async function openPipes(
  owner: { readonly uid: number; readonly gid: number } | undefined,
  make: MakePipes,
): Promise<StandardPipes | undefined> {
  if (process.platform !== "linux") return undefined;
  const anchors = await takeAnchors(make);
  if (anchors === undefined) return undefined;
  const [input, output, errors] = anchors;
  const opened: number[] = [];
  const end = (anchor: number, flags: number): number => {
    const descriptor = openSync(`/proc/self/fd/${anchor}`, flags);
    opened.push(descriptor);
    return descriptor;
  };
  try {
    const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants;
    const theirs = [end(input, O_RDONLY), end(output, O_WRONLY), end(errors, O_WRONLY)] as const;
    const ours = [
      end(input, O_WRONLY | O_NONBLOCK),
      end(output, O_RDONLY | O_NONBLOCK),
      end(errors, O_RDONLY | O_NONBLOCK),
    ] as const;
    if (owner !== undefined) for (const each of theirs) fchownSync(each, owner.uid, owner.gid);
    return { ours, theirs };
  } catch (error) {
    for (const descriptor of opened) closeSync(descriptor);
    throw error;
  } finally {
    for (const anchor of anchors) closeSync(anchor);
  }
}

const STREAMS = 3;
const LOW = 6;

/** Unused pipes. */
const stock: number[] = [];
let supply: Promise<boolean> | undefined;

async function takeAnchors(make: MakePipes): Promise<PipeEnds | undefined> {
  while (stock.length < STREAMS) {
    supply ??= restock(make);
    if (!(await supply)) return undefined;
  }
  const [input, output, errors] = stock.splice(-STREAMS);
  if (input === undefined || output === undefined || errors === undefined)
    throw new Error("Expected three pipes.");
  // Refills in the background; a failure shows when the stock is empty.
  if (stock.length < LOW) supply ??= restock(make);
  return [input, output, errors];
}

/** Creates many pipes at once, because creating one takes as long as starting a program. */
async function restock(make: MakePipes): Promise<boolean> {
  try {
    const made = await make();
    stock.push(...made);
    return made.length > 0;
  } catch {
    // For example, no descriptors are left; sockets are the fallback.
    return false;
  } finally {
    supply = undefined;
  }
}
