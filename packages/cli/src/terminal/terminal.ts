import type { Readable } from "node:stream";
import type { AnyOptions } from "../command.ts";
import { localizeHints } from "./hint.ts";
import type { SignalSource } from "./interrupt.ts";
import type { Io } from "./output.ts";
import type { Tty } from "./tty.ts";

/** The parts of a writable stream that the command line uses. */
export interface Stream {
  readonly write: (text: string | Uint8Array) => unknown;
  readonly on: (event: "error", listener: (error: NodeJS.ErrnoException) => void) => unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** The parts of a process that the command line uses. `process` is one. */
export interface CommandHost extends SignalSource {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Stream;
  readonly stderr: Stream;
  /** Opens the user's terminal; by default the system's. */
  readonly openTty?: () => Tty | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: () => string;
  /** The command that starts this program; by default `skillhold`. */
  readonly command?: () => string;
}

export function openTerminal(host: CommandHost, json: boolean, signal: AbortSignal): Io {
  const isOutTty = host.stdout.isTTY === true;
  const isErrTty = host.stderr.isTTY === true;
  const command = host.command ?? (() => "skillhold");
  const pass = writer(host.stderr);
  return withHints({
    out: writer(host.stdout),
    pass,
    command,
    isOutTty,
    isErrTty,
    color: allowsColor(host.env, isOutTty),
    errColor: allowsColor(host.env, isErrTty),
    // A terminal of unknown width reports 0.
    columns: host.stderr.columns || host.stdout.columns || 80,
    json,
    env: host.env,
    cwd: host.cwd(),
    // Opened on demand, because an open stdin can keep the process waiting.
    input: () => (host.stdin.isTTY === true ? undefined : host.stdin),
    tty: () => findTty(host, isErrTty),
    signal,
  });
}

/** Adds the writers of messages. `options` are those of the running command. */
export function withHints(io: Omit<Io, "err" | "hint">, options: AnyOptions = {}): Io {
  const hint = (text: string) => localizeHints(text, { command: io.command, options });
  return { ...io, hint, err: (text) => io.pass(hint(text)) };
}

/** Asks only when stdin or stderr is a terminal: a controlling terminal alone may have no user at it. */
async function findTty(host: CommandHost, isErrTty: boolean): Promise<Tty | undefined> {
  if (!isErrTty && host.stdin.isTTY !== true) return undefined;
  if (host.openTty !== undefined) return host.openTty();
  const { openTty } = await import("./tty.ts");
  return openTty();
}

/** NO_COLOR wins over FORCE_COLOR, and both over the terminal. */
export function allowsColor(env: CommandHost["env"], isTty: boolean): boolean {
  if (env["NO_COLOR"]) return false;
  const forced = env["FORCE_COLOR"];
  if (forced) return forced !== "0" && forced !== "false";
  return isTty && env["TERM"] !== "dumb";
}

/**
 * A closed pipe (`skillhold … | head`) is not a failure: the rest of the output is dropped, and the command keeps its own
 * exit code.
 */
function writer(stream: Stream): (text: string | Uint8Array) => void {
  let isOpen = true;
  stream.on("error", (error) => {
    if (error.code !== "EPIPE") throw error;
    isOpen = false;
  });
  return (text) => {
    if (isOpen) stream.write(text);
  };
}
