import { type Io, plain } from "./output.ts";

/** One line on stderr that counts along and leaves no trace, also when the user interrupts. */
export interface ProgressLine {
  readonly update: (done: number, total: number, subject?: string) => void;
  readonly stop: () => void;
}

export interface ProgressOptions {
  readonly quiet?: boolean;
  /** Nothing is shown for work that is done sooner. */
  readonly afterMs?: number;
}

/** Redrawing more often than this costs time and shows nothing. */
const redrawMs = 80;

const clearLine = "\r\x1b[2K";

/** Silent unless a person watches stderr: not in a pipe, not with `--json`, not with `--quiet`. */
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

/** A line that wraps could not be cleared, and the last column makes some terminals wrap. */
function formatLine(text: string, columns: number): string {
  const line = plain(text).replaceAll(/\s+/g, " ").trim();
  return line.length < columns ? line : `${line.slice(0, Math.max(0, columns - 2))}…`;
}
