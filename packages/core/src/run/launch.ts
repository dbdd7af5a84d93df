import type { Readable, Writable } from "node:stream";

/** Starts a program without a shell, with only the given environment. `@skillhold/sandbox` implements it. */
export type Launch = (
  argv: readonly [string, ...string[]],
  options: {
    readonly env: Readonly<Record<string, string>>;
    readonly cwd?: string;
    readonly signal?: AbortSignal | undefined;
  },
) => Promise<LaunchedProgram>;

/** A running program. */
export interface LaunchedProgram {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when the program has exited and its output has been read. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  /** Kills the program and its process group. */
  kill(): void;
}
