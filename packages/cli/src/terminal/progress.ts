import { type Io, plain } from "./output.ts";

/** A progress line on stderr that is cleared at the end and on an interrupt. */
export interface ProgressLine {
  readonly update: (done: number, total: number, subject?: string) => void;
  readonly stop: () => void;
}

export interface ProgressOptions {
  readonly quiet?: boolean;
  /** The line appears only after this time. */
  readonly afterMs?: number;
}

/** More frequent redraws would not be visible. */
const redrawMs = 80;

const clearLine = "\r\x1b[2K";

/** Silent unless stderr is a terminal, and with `--json` or `--quiet`. */
export function openProgress(io: Io, verb: string, options: ProgressOptions = {}): ProgressLine {
  if (!io.isErrTty || io.json || options.quiet || io.env["TERM"] === "dumb") {
    return { update: () => {}, stop: () => {} };
  }
  const showsAt = performance.now() + (options.afterMs ?? 0);
  let drawnAt = Number.NEGATIVE_INFINITY;
  const stop = () => {
    if (drawnAt > 0) io.err(clearLine);
    drawnAt = Number.NEGATIVE_INFINITY;
  };
  io.signal.addEventListener("abort", stop, { once: true });
  return {
    update(done, total, subject = "") {
      const now = performance.now();
      if (io.signal.aborted || now < showsAt || now - drawnAt < redrawMs) return;
      drawnAt = now;
      io.err(clearLine + formatLine(`${verb} ${done}/${total} ${subject}`, io.columns));
    },
    stop,
  };
}

/** Stays below the terminal's width, because a wrapped line cannot be cleared. */
function formatLine(text: string, columns: number): string {
  const line = plain(text).replaceAll(/\s+/g, " ").trim();
  return line.length < columns ? line : `${line.slice(0, Math.max(0, columns - 2))}…`;
}
