import type { Readable } from "node:stream";
import type { ErrorCode } from "@skillhold/protocol/error";
import type { Tty } from "./tty.ts";

/** 0, or what the error table gives the failure; of a script that has run, the script's own. */
export type ExitCode = number;

/** Everything a command may know of the process around it. Results go to `out`, talk goes to `err`. */
export interface Io {
  readonly out: (text: string | Uint8Array) => void;
  readonly err: (text: string) => void;
  readonly isOutTty: boolean;
  readonly isErrTty: boolean;
  /** Whether text for `out` may carry colour. */
  readonly color: boolean;
  /** Whether text for `err` may carry colour. */
  readonly errColor: boolean;
  /** Width of the terminal. */
  readonly columns: number;
  /** Whether the answer is the JSON envelope instead of text for people. */
  readonly json: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The absolute folder that relative paths of the command line start from. */
  readonly cwd: string;
  /** What is piped in, or undefined when the input is a terminal, which a command must not wait for unasked. */
  readonly input: () => Readable | undefined;
  /** The user's terminal, to ask something; undefined when nobody is there. */
  readonly tty: () => Promise<Tty | undefined>;
  /** Aborted when the user interrupts. */
  readonly signal: AbortSignal;
}

export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string;
  /** What was done before an interrupt. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** What `--json` prints, one document a command; `watch` one a line. */
export type Envelope =
  | { readonly ok: true; readonly data: unknown }
  | { readonly ok: false; readonly error: Failure };

export function printData(io: Io, data: unknown): void {
  printEnvelope(io, { ok: true, data });
}

/** Tells the failure where the caller looks for it, and returns the exit code that the error table gives it. */
export async function printFailure(io: Io, error: unknown): Promise<ExitCode> {
  const { SkillError, errorTable } = await import("@skillhold/protocol/error");
  const failure = error instanceof SkillError ? error : asBug(error, errorTable.INTERNAL.hint);
  const { code, message, hint } = failure;
  const { details = {} } = failure;
  const done = code === "INTERRUPTED" && Object.keys(details).length > 0 ? { details } : {};
  if (io.json) printEnvelope(io, { ok: false, error: { code, message, hint, ...done } });
  else io.err(await formatFailure(io, { code, message, hint }));
  if (code === "INTERNAL" && io.env["SKILLHOLD_DEBUG"] && error instanceof Error) io.err(`${error.stack}\n`);
  return errorTable[code].exit;
}

/** File names and messages come from strangers: control characters must not reach a terminal as such. */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, (character) => {
    if (character === "\n" || character === "\t") return character;
    const escaped = JSON.stringify(character).slice(1, -1);
    return escaped === character ? escapeUnit(character) : escaped;
  });
}

/** One document on one line, for commands that answer more than once. */
export function printLine(io: Io, envelope: Envelope): void {
  io.out(`${toJson(envelope)}\n`);
}

function printEnvelope(io: Io, envelope: Envelope): void {
  io.out(`${toJson(envelope, io.isOutTty ? 2 : undefined)}\n`);
}

/** JSON lets some control characters stand as they are; escaped they are the same text and move no cursor. */
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
