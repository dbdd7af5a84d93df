import { systemTimers, type Timers } from "@skillhold/core/port";
import { launch } from "@skillhold/sandbox/backend";
import type { CommandArgv } from "./install-command.ts";

export interface CommandOptions {
  /** The complete environment of the program. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  readonly timers?: Timers;
}

export interface CommandResult {
  /** Undefined when the program did not start or was killed. */
  readonly code: number | undefined;
  readonly outcome: "exited" | "timed_out" | "aborted" | "not_started";
  readonly stdout: string;
  readonly stderr: string;
  /** The reason of a failure that the output does not state. */
  readonly problem?: string;
  /** Hosts that the sandbox refused. */
  readonly refused?: readonly string[];
}

/** Runs a program on the host until it exits or times out. Never rejects: the result says what happened. */
export async function runCommand(argv: CommandArgv, options: CommandOptions): Promise<CommandResult> {
  const { env, cwd, timeoutMs, signal, timers = systemTimers } = options;
  if (signal?.aborted === true) return { ...nothing, outcome: "aborted" };
  const launched = await launch(argv, { env, ...(cwd === undefined ? {} : { cwd }) }).catch(() => undefined);
  if (launched === undefined) return nothing;
  let outcome: CommandResult["outcome"] = "exited";
  const end = (reason: CommandResult["outcome"]) => () => {
    if (outcome === "exited") outcome = reason;
    launched.kill();
  };
  const cancelDeadline = timers.after(Math.max(0, timeoutMs), end("timed_out"));
  const onAbort = end("aborted");
  signal?.addEventListener("abort", onAbort);
  const stdout = new Tail();
  const stderr = new Tail();
  launched.stdin.end();
  launched.stdout.on("data", (chunk: Buffer) => stdout.push(chunk));
  launched.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
  // Children may keep its output open, so the whole group is killed.
  void launched.exited.then(() => launched.killGroup());
  const { code } = await launched.ended;
  cancelDeadline();
  signal?.removeEventListener("abort", onAbort);
  return {
    code: outcome === "exited" ? (code ?? undefined) : undefined,
    outcome,
    stdout: stdout.text(),
    stderr: stderr.text(),
  };
}

const nothing: CommandResult = { code: undefined, outcome: "not_started", stdout: "", stderr: "" };

const KEPT_BYTES = 64 * 1024;

/** Keeps the end of the output, which states the reason of a failure. */
class Tail {
  #bytes = Buffer.alloc(0);

  push(chunk: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk]).subarray(-KEPT_BYTES);
  }

  text(): string {
    return this.#bytes.toString("utf8");
  }
}
