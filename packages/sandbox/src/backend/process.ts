import { type ChildProcess, type SpawnOptions, type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readdirSync, readSync } from "node:fs";
import { Socket } from "node:net";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import type { SandboxExit } from "@skillhold/core/run";
import { rejectCanceled } from "./cancel.ts";
import { type OutputEnds, type OutputPipes, openPipes } from "./pipe.ts";

export interface LaunchOptions {
  /** All that the process gets; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Who it runs as; only root can choose. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** Descriptors beyond the first three that are connected to us. */
  readonly pipes?: readonly number[];
  /** Open descriptors that are handed on, by the number that each gets. They stay the caller's to close. */
  readonly files?: Readonly<Record<number, number>>;
  /** Calls the start off, up to the moment of it: then INTERRUPTED is thrown. */
  readonly signal?: AbortSignal | undefined;
}

export interface Launched {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Our end of one of the `pipes`. */
  pipe(descriptor: number): Socket;
  /** Resolves when the process has ended. */
  readonly exited: Promise<Ending>;
  /** Resolves when it has ended and its output has been read. */
  readonly ended: Promise<Ending>;
  /** Ends the process and its group at once; without effect when it has ended. */
  kill(): void;
  /** Ends what the process left in its group. Contract: called when `exited` resolves, and not later. */
  killGroup(): void;
}

interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * Starts a program: the only place that does. There is no shell, no inherited variable and no inherited descriptor,
 * and the process leads a group of its own. Fails as `spawn` does when it cannot be started.
 *
 * Contract: who wants the output listens in the turn in which this resolves.
 */
export async function launch(
  argv: readonly [string, ...string[]],
  options: LaunchOptions,
): Promise<Launched> {
  const pipes = await openPipes(options.user, makePipes);
  try {
    const child = await start(argv, options, pipes?.theirs);
    return connect(child, pipes === undefined ? streamsOf(child.process) : openStreams(pipes, child.process));
  } catch (error) {
    for (const descriptor of pipes?.ours ?? []) closeSync(descriptor);
    throw error;
  }
}

interface Child {
  readonly process: ChildProcess;
  readonly exited: Promise<Ending>;
  readonly closed: Promise<Ending>;
}

/** Closes the child's ends, whatever happens: it has its own now. */
async function start(
  argv: readonly [string, ...string[]],
  options: LaunchOptions,
  ends: OutputEnds | undefined,
): Promise<Child> {
  const nothing = openSync("/dev/null", "r");
  try {
    rejectCanceled(options.signal);
    const child = spawn(argv[0], argv.slice(1), spawnOptions(options, ends, nothing));
    // They may come before the caller listens, so they are waited for from the start.
    const exited = ending(child, "exit");
    const closed = ending(child, "close");
    await once(child, "spawn");
    return { process: child, exited, closed };
  } finally {
    for (const descriptor of [nothing, ...(ends ?? [])]) closeSync(descriptor);
  }
}

const MKFIFO = "/usr/bin/mkfifo";

async function makePipes(paths: readonly string[]): Promise<boolean> {
  try {
    const child = await start([MKFIFO, "-m", "600", ...paths], { env: {} }, undefined);
    return (await child.closed).code === 0;
  } catch {
    // There is no such tool here.
    return false;
  }
}

function spawnOptions(options: LaunchOptions, ends: OutputEnds | undefined, nothing: number): SpawnOptions {
  const { env, cwd = "/", user, pipes = [], files = {} } = options;
  const stdio = stdioTable(
    ends,
    new Map<number, "pipe" | number>([
      ...findInherited().map((at) => [at, nothing] as const),
      ...Object.entries(files).map(([at, file]) => [Number(at), file] as const),
      ...pipes.map((at) => [at, "pipe"] as const),
    ]),
  );
  return { env, cwd, stdio, shell: false, detached: true, windowsHide: true, ...user };
}

/** A descriptor that would be inherited is replaced by an empty one: that is the only way to close it. */
function stdioTable(
  ends: OutputEnds | undefined,
  others: ReadonlyMap<number, "pipe" | number>,
): StdioOptions {
  const table: ("pipe" | "ignore" | number)[] = ["pipe", ...(ends ?? (["pipe", "pipe"] as const))];
  const length = Math.max(2, ...others.keys()) + 1;
  for (let at = table.length; at < length; at += 1) table.push(others.get(at) ?? "ignore");
  return table;
}

const CLOSE_ON_EXEC = 0o2000000;

/** The descriptors of this process that a child would get: Node opens none such, but whoever started us may have. */
export function findInherited(): readonly number[] {
  if (process.platform !== "linux") return [];
  const found: number[] = [];
  for (const name of readdirSync("/proc/self/fdinfo")) {
    const descriptor = Number(name);
    if (descriptor > 2 && !closesOnExec(name)) found.push(descriptor);
  }
  return found;
}

/** Longer than the lines that come before the flags. */
const head = Buffer.alloc(64);

function closesOnExec(name: string): boolean {
  let file: number;
  try {
    file = openSync(`/proc/self/fdinfo/${name}`, "r");
  } catch {
    // It was closed meanwhile: the listing's own descriptor always is.
    return true;
  }
  try {
    const text = head.toString("latin1", 0, readSync(file, head, 0, head.length, 0));
    const flags = /^flags:\s*([0-7]+)\n/m.exec(text)?.[1];
    return (Number.parseInt(flags ?? "0", 8) & CLOSE_ON_EXEC) !== 0;
  } finally {
    closeSync(file);
  }
}

function ending(child: ChildProcess, event: "exit" | "close"): Promise<Ending> {
  return new Promise((resolve) => {
    child.once(event, (code: number | null, signal: NodeJS.Signals | null) => resolve({ code, signal }));
  });
}

interface Streams {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when the output has been read. */
  readonly read: Promise<unknown>;
}

function streamsOf({ stdin, stdout, stderr }: ChildProcess): Streams {
  if (stdin === null || stdout === null || stderr === null) throw new Error("A process has streams.");
  return { stdin, stdout, stderr, read: Promise.resolve() };
}

function openStreams({ ours }: OutputPipes, child: ChildProcess): Streams {
  const { stdin } = child;
  if (stdin === null) throw new Error("A process has an input.");
  const [stdout, stderr] = ours.map((fd) => new Socket({ fd, readable: true, writable: false }));
  if (stdout === undefined || stderr === undefined) throw new Error("There are two outputs.");
  const closed = (stream: Socket) => new Promise((resolve) => stream.once("close", resolve));
  const read = Promise.all([closed(stdout), closed(stderr)]);
  child.once("exit", () => {
    // What nobody listens to would never end.
    for (const stream of [stdout, stderr]) if (stream.readableFlowing === null) stream.resume();
  });
  return { stdin, stdout, stderr, read };
}

function connect({ process: child, exited, closed }: Child, streams: Streams): Launched {
  const { pid } = child;
  if (pid === undefined) throw new Error("A process that was started has a number.");
  const { read, ...three } = streams;
  // A program need not read what it is sent; that it did not is no failure of ours.
  for (const stream of Object.values(three)) stream.on("error", () => {});
  return {
    pid,
    ...three,
    exited,
    ended: read.then(() => closed),
    pipe: (descriptor) => pipeOf(child, descriptor),
    kill: () => {
      // A child that has not been waited for keeps its number, so that no stranger is hit.
      if (child.exitCode === null && child.signalCode === null && !tryKill(-pid)) child.kill("SIGKILL");
    },
    killGroup: () => {
      tryKill(-pid);
    },
  };
}

function pipeOf(child: ChildProcess, descriptor: number): Socket {
  const stream = child.stdio[descriptor];
  if (stream === null || stream === undefined) throw new Error(`Descriptor ${descriptor} is not connected.`);
  if (stream.listenerCount("error") === 0) stream.on("error", () => {});
  // What Node connects at a descriptor above 2 goes both ways: it is a socket.
  return stream as Socket;
}

export function tryKill(pid: number): boolean {
  try {
    process.kill(pid, "SIGKILL");
    return true;
  } catch {
    // There is no such process, or none in the group, or not yet.
    return false;
  }
}

/** As a shell tells it. What stands between us and a program ends by a code where the program ended by a signal. */
export function sandboxExit({ code, signal }: Ending): SandboxExit {
  if (signal !== null) return { code: 128 + constants.signals[signal], signal };
  const number = (code ?? 1) - 128;
  const name = Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
  return { code: code ?? 1, signal: name };
}
