import type { LogEntry } from "@skillhold/gateway";
import { SkillError } from "@skillhold/protocol/error";
import { type Io, plain } from "../../terminal/output.ts";

/** Writes the gateway's log: one JSON line per entry, or a short line on a terminal. */
export function gatewayLog(io: Pick<Io, "err" | "isErrTty" | "env">): (entry: LogEntry) => void {
  const withStack = Boolean(io.env["SKILLHOLD_DEBUG"]);
  return (entry) => {
    const record = recordOf(entry, new Date().toISOString(), withStack);
    io.err(`${withoutSecrets(io.isErrTty ? forPeople(record) : JSON.stringify(record))}\n`);
  };
}

interface LogRecord {
  readonly at: string;
  readonly level: LogEntry["level"];
  readonly event: string;
  readonly message?: string;
  readonly requestId?: string;
  readonly error?: { readonly name: string; readonly message: string; readonly stack?: string };
  readonly fields?: LogEntry["fields"];
}

function recordOf({ error, ...entry }: LogEntry, at: string, withStack: boolean): LogRecord {
  return { at, ...entry, ...(error === undefined ? {} : { error: describe(error, withStack) }) };
}

/** A bug is logged with its stack; a coded failure is logged without a stack. */
function describe(error: unknown, withStack: boolean): NonNullable<LogRecord["error"]> {
  if (!(error instanceof Error)) return { name: "unknown", message: String(error) };
  const { message, stack } = error;
  if (error instanceof SkillError && !withStack) return { name: error.code, message };
  return { name: error.name, message, ...(stack === undefined ? {} : { stack }) };
}

function forPeople({ at, level, event, message, error, fields = {}, requestId }: LogRecord): string {
  const words = [message, error?.message === message ? undefined : error?.message].filter(Boolean);
  const rest = Object.entries({ ...fields, ...(requestId === undefined ? {} : { requestId }) });
  const details = rest.map(([name, value]) => `${name}=${value}`).join(" ");
  const line = [at.slice(11, 19), level === "info" ? "" : `${level}:`, event, words.join(": "), details];
  const text = plain(
    line
      .filter((part) => part !== "")
      .join(" ")
      .replaceAll(/\s+/g, " "),
  );
  return error?.stack === undefined ? text : `${text}\n${plain(error.stack)}`;
}

/** Removes tokens and passwords, because an error message of a library may quote its input. */
function withoutSecrets(text: string): string {
  return text
    .replaceAll(/skh_[A-Za-z0-9_-]{8,}/g, "skh_…")
    .replaceAll(/(:\/\/[^\s/:@"]*):[^\s/@"]+@/g, "$1:…@");
}
