/** A failure that the script reports: what happened, and what to do about it. */
export class ScriptError extends Error {
  readonly code: string;
  readonly exit: ExitCode;
  readonly hint: string | undefined;

  constructor(code: string, message: string, options: ScriptErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = "ScriptError";
    this.code = code;
    this.exit = options.exit ?? exitCodes.failed;
    this.hint = options.hint;
  }
}

export interface ScriptErrorOptions {
  readonly exit?: ExitCode;
  readonly hint?: string | undefined;
  readonly cause?: unknown;
}

/** `input` is for files that are broken, encrypted or of a kind that the script does not know. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, input: 3 } as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The call itself is wrong: no file was looked at. */
export function usageError(message: string, hint?: string): ScriptError {
  return new ScriptError("USAGE", message, { exit: exitCodes.usage, hint });
}

/** A file that was given cannot be worked with. */
export function inputError(code: string, message: string, hint?: string, cause?: unknown): ScriptError {
  return new ScriptError(code, message, { exit: exitCodes.input, hint, cause });
}

/** What an unknown failure says, on one line and never long: libraries put whole files into their messages. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > MESSAGE_LENGTH ? `${line.slice(0, MESSAGE_LENGTH)}…` : line;
}

const MESSAGE_LENGTH = 500;
