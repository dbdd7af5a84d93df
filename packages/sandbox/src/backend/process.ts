import { type ChildProcess, type SpawnOptions, type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readdirSync, readlinkSync, readSync } from "node:fs";
import { Server, Socket } from "node:net";
import { constants } from "node:os";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import type { SandboxExit } from "@skillhold/core/run";
import { rejectCanceled } from "./cancel.ts";
import { openPipes, type PipeEnds, type StandardPipes } from "./pipe.ts";

export interface LaunchOptions {
  /** The complete environment of the process; no variable is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** The user to run as; only root can choose one. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** Descriptors above 2 that are connected to this process. */
  readonly pipes?: readonly number[];
  /** Open descriptors to pass on, by their number in the child. The caller closes them. */
  readonly files?: Readonly<Record<number, number>>;
  /** The descriptor on which the process, a Node program, hands over one listening socket. */
  readonly handover?: number;
  /** Cancels the start: `launch` then throws INTERRUPTED. */
  readonly signal?: AbortSignal | undefined;
}

export interface Launched {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Our end of one of the `pipes`. */
  pipe(descriptor: number): Socket;
  /**
   * The socket that the process hands over; undefined when it ends without one. The process continues when this
   * resolves, and the channel is closed.
   */
  handover(): Promise<Server | undefined>;
  /** Resolves when the process has ended. */
  readonly exited: Promise<Ending>;
  /** Resolves when the process has ended and its output has been read. */
  readonly ended: Promise<Ending>;
  /** Kills the process and its group; has no effect after the exit. */
  kill(): void;
  /** Kills the rest of the process group. Contract: called when `exited` resolves, and not later. */
  killGroup(): void;
}

interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * Starts a program. All processes start here: without a shell, inherited variables or inherited descriptors,
 * and in their own process group. Rejects like `spawn` when the start fails.
 *
 * Contract: the caller attaches output listeners in the same turn that this resolves.
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

/** Always closes the child's ends, because the child has its own copies. */
async function start(
  argv: readonly [string, ...string[]],
  options: LaunchOptions,
  ends: PipeEnds | undefined,
): Promise<Child> {
  const nothing = openSync("/dev/null", "r");
  try {
    rejectCanceled(options.signal);
    const child = spawn(argv[0], argv.slice(1), spawnOptions(options, ends, nothing));
    // Awaited from the start, because the events may come before the caller listens.
    const exited = ending(child, "exit");
    // Node reports no close after a message channel was closed from this side.
    const closed = options.handover === undefined ? ending(child, "close") : exited;
    await once(child, "spawn");
    return { process: child, exited, closed };
  } finally {
    for (const descriptor of [nothing, ...(ends ?? [])]) closeSync(descriptor);
  }
}

/** Refers to a file without opening it. Node accepts the flag but has no constant for it. */
const O_PATH = 0o10000000;

const PARTS = 4;
/** Some shells give the text of a redirection through a pipe, which saves starting more parts. */
const REDIRECTED = [3, 4, 5, 6, 7, 8, 9];

const pipeScript = [
  "wait() {",
  `exec ${REDIRECTED.map((at) => `${at}<<'END'`).join(" ")}`,
  ...REDIRECTED.map(() => "END"),
  'read -r pid rest </proc/self/stat; echo "$pid" >&2; read -r end',
  "}",
  Array.from({ length: PARTS }, () => "wait").join(" | "),
].join("\n");

/**
 * Node cannot create pipes, so a shell does: the parts of its pipeline wait for input, and each reports its number, under
 * which the kernel lists its pipes.
 */
async function makePipes(): Promise<readonly number[]> {
  const child = await start(["/bin/sh", "-c", pipeScript], { env: {} }, undefined);
  try {
    return (await readParts(child.process, PARTS)).flatMap(openPipesOf);
  } finally {
    if (!tryKill(-Number(child.process.pid))) child.process.kill("SIGKILL");
    await child.exited;
  }
}

function openPipesOf(pid: number): readonly number[] {
  return [1, ...REDIRECTED].flatMap((at) => {
    try {
      const path = `/proc/${pid}/fd/${at}`;
      return readlinkSync(path).startsWith("pipe:") ? [openSync(path, O_PATH)] : [];
    } catch {
      // The part has ended, or has no such descriptor.
      return [];
    }
  });
}

/** The numbers that the parts of the pipeline report; fewer when it ends. */
async function readParts({ stderr }: ChildProcess, count: number): Promise<readonly number[]> {
  const parts: number[] = [];
  if (stderr === null) return parts;
  for await (const line of createInterface({ input: stderr })) {
    parts.push(Number(line));
    if (parts.length === count) break;
  }
  return parts;
}

function spawnOptions(options: LaunchOptions, ends: PipeEnds | undefined, nothing: number): SpawnOptions {
  const { env, cwd = "/", user, pipes = [], files = {}, handover } = options;
  const stdio = stdioTable(
    ends,
    new Map<number, "pipe" | "ipc" | number>([
      ...findInherited().map((at) => [at, nothing] as const),
      ...Object.entries(files).map(([at, file]) => [Number(at), file] as const),
      ...pipes.map((at) => [at, "pipe"] as const),
      ...(handover === undefined ? [] : [[handover, "ipc"] as const]),
    ]),
  );
  return { env, cwd, stdio, shell: false, detached: true, windowsHide: true, ...user };
}

/** Replaces each inheritable descriptor by /dev/null, because Node cannot close it in the child. */
function stdioTable(
  ends: PipeEnds | undefined,
  others: ReadonlyMap<number, "pipe" | "ipc" | number>,
): StdioOptions {
  const table: ("pipe" | "ipc" | "ignore" | number)[] = [...(ends ?? (["pipe", "pipe", "pipe"] as const))];
  const length = Math.max(2, ...others.keys()) + 1;
  for (let at = table.length; at < length; at += 1) table.push(others.get(at) ?? "ignore");
  return table;
}

const CLOSE_ON_EXEC = 0o2000000;

/** The inheritable descriptors of this process. Node opens no inheritable ones, but its parent may have. */
export function findInherited(): readonly number[] {
  if (process.platform !== "linux") return [];
  const found: number[] = [];
  for (const name of readdirSync("/proc/self/fdinfo")) {
    const descriptor = Number(name);
    if (descriptor > 2 && !closesOnExec(name)) found.push(descriptor);
  }
  return found;
}

/** Longer than the lines before the flags. */
const head = Buffer.alloc(64);

function closesOnExec(name: string): boolean {
  let file: number;
  try {
    file = openSync(`/proc/self/fdinfo/${name}`, "r");
  } catch {
    // Closed in the meantime, like the descriptor of the listing itself.
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

function openStreams({ ours: [input, ...outputs] }: StandardPipes, child: ChildProcess): Streams {
  const stdin = new Socket({ fd: input, readable: false, writable: true });
  const [stdout, stderr] = outputs.map((fd) => new Socket({ fd, readable: true, writable: false }));
  if (stdout === undefined || stderr === undefined) throw new Error("Expected two output streams.");
  const closed = (stream: Socket) => new Promise((resolve) => stream.once("close", resolve));
  const read = Promise.all([closed(stdout), closed(stderr)]);
  child.once("exit", () => {
    stdin.destroy();
    // A stream without a listener would never end.
    for (const stream of [stdout, stderr]) if (stream.readableFlowing === null) stream.resume();
  });
  return { stdin, stdout, stderr, read };
}

function connect({ process: child, exited, closed }: Child, streams: Streams): Launched {
  const { pid } = child;
  if (pid === undefined) throw new Error("A process that was started has a number.");
  const { read, ...three } = streams;
  // A program may ignore its input, so a write error is not a failure.
  for (const stream of Object.values(three)) stream.on("error", () => {});
  return {
    pid,
    ...three,
    exited,
    ended: read.then(() => closed),
    pipe: (descriptor) => pipeOf(child, descriptor),
    handover: () => receiveSocket(child, exited),
    kill: () => {
      // An unreaped child keeps its pid, so no other process is killed.
      if (child.exitCode === null && child.signalCode === null && !tryKill(-pid)) child.kill("SIGKILL");
    },
    killGroup: () => {
      tryKill(-pid);
    },
  };
}

async function receiveSocket(child: ChildProcess, exited: Promise<Ending>): Promise<Server | undefined> {
  const received = new Promise<unknown>((resolve) => {
    child.once("message", (_message, handle) => resolve(handle));
  });
  const handle = await Promise.race([received, exited.then(() => undefined)]);
  if (!(handle instanceof Server)) return undefined;
  await new Promise<void>((resolve) => child.send("received", () => resolve()));
  if (child.connected) child.disconnect();
  return handle;
}

function pipeOf(child: ChildProcess, descriptor: number): Socket {
  const stream = child.stdio[descriptor];
  if (stream === null || stream === undefined) throw new Error(`Descriptor ${descriptor} is not connected.`);
  if (stream.listenerCount("error") === 0) stream.on("error", () => {});
  // Node connects descriptors above 2 by sockets, which work in both directions.
  return stream as Socket;
}

export function tryKill(pid: number): boolean {
  try {
    process.kill(pid, "SIGKILL");
    return true;
  } catch {
    // The process or its group does not exist (yet).
    return false;
  }
}

/** Uses the exit codes of a shell: wrapper programs report a signal as 128 plus its number. */
export function sandboxExit({ code, signal }: Ending): SandboxExit {
  if (signal !== null) return { code: 128 + constants.signals[signal], signal };
  const number = (code ?? 1) - 128;
  const name = Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
  return { code: code ?? 1, signal: name };
}
