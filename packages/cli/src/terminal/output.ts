import type { Readable } from "node:stream";
import type { ErrorCode } from "@skillhold/protocol/error";
import type { Tty } from "./tty.ts";

/** 0, the exit code of the error table, or the exit code of the script that ran. */
export type ExitCode = number;

/** The process as a command sees it. Results go to `out`, messages to `err`. */
export interface Io {
  readonly out: (text: string | Uint8Array) => void;
  /** Prints a message. Command lines in it are written as the user can run them here. */
  readonly err: (text: string) => void;
  /** Prints the messages of another program, unchanged. */
  readonly pass: (text: string) => void;
  /** The command that starts this program where the user is. */
  readonly command: () => string;
  /** Writes the command lines in a text as the user can run them here. */
  readonly hint: (text: string) => string;
  readonly isOutTty: boolean;
  readonly isErrTty: boolean;
  /** Whether `out` may be colored. */
  readonly color: boolean;
  /** Whether `err` may be colored. */
  readonly errColor: boolean;
  /** Width of the terminal. */
  readonly columns: number;
  /** Whether the output is the JSON envelope instead of text. */
  readonly json: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The absolute folder that relative paths start from. */
  readonly cwd: string;
  /** The piped input; undefined for a terminal, which a command must not wait for. */
  readonly input: () => Readable | undefined;
  /** The user's terminal for questions; undefined when there is no user to ask. */
  readonly tty: () => Promise<Tty | undefined>;
  /** Aborted when the user interrupts. */
  readonly signal: AbortSignal;
}

export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string;
  /** The finished steps before an interrupt. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The document that `--json` prints; `watch` prints one per line. */
export type Envelope =
  | { readonly ok: true; readonly data: unknown }
  | { readonly ok: false; readonly error: Failure };

export function printData(io: Io, data: unknown): void {
  printEnvelope(io, { ok: true, data });
}

/** Prints a failure as text or JSON and returns its exit code from the error table. */
export async function printFailure(io: Io, error: unknown): Promise<ExitCode> {
  const { SkillError, errorTable } = await import("@skillhold/protocol/error");
  const failure = error instanceof SkillError ? error : asBug(error, errorTable.INTERNAL.hint);
  const { code, message } = failure;
  const hint = io.hint(failure.hint);
  const { details = {} } = failure;
  const done = code === "INTERRUPTED" && Object.keys(details).length > 0 ? { details } : {};
  if (io.json) printEnvelope(io, { ok: false, error: { code, message, hint, ...done } });
  else io.err(await formatFailure(io, { code, message, hint }));
  if (code === "INTERNAL" && io.env["SKILLHOLD_DEBUG"] && error instanceof Error) io.err(`${error.stack}\n`);
  return errorTable[code].exit;
}

/** Escapes control characters, because file names and messages are untrusted. */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, (character) => {
    if (character === "\n" || character === "\t") return character;
    const escaped = JSON.stringify(character).slice(1, -1);
    return escaped === character ? escapeUnit(character) : escaped;
  });
}

/** Prints one document on one line, for commands with more than one result. */
export function printLine(io: Io, envelope: Envelope): void {
  io.out(`${toJson(envelope)}\n`);
}

function printEnvelope(io: Io, envelope: Envelope): void {
  io.out(`${toJson(envelope, io.isOutTty ? 2 : undefined)}\n`);
}

/** Escapes the control characters that JSON allows unescaped, because they would affect a terminal. */
function toJson(envelope: Envelope, indent?: number): string {
  return JSON.stringify(envelope, undefined, indent).replace(/[\u007f-\u009f\p{Bidi_Control}]/gu, escapeUnit);
}

function escapeUnit(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function asBug(error: unknown, hint: string): Failure {
  return { code: "INTERNAL", message: error instanceof Error ? error.message : String(error), hint };
}

async function formatFailure(io: Io, failure: Failure): Promise<string> {
  const { default: picocolors } = await import("picocolors");
  const paint = picocolors.createColors(io.errColor);
  const message = `${paint.red(paint.bold("error:"))} ${plain(failure.message)}\n`;
  return `${message}${paint.cyan("hint:")} ${plain(failure.hint)}\n`;
}
