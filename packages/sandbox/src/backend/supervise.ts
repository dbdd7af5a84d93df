import { type CancelTimer, systemTimers, type Timers } from "@skillhold/core/port";
import type { LimitKind, RunLimits, SandboxProcess } from "@skillhold/core/run";
import type { RunOutcome } from "@skillhold/protocol";

export interface SuperviseOptions {
  /** The program's standard input; empty when absent. */
  readonly stdin?: string | Uint8Array;
  /** Receives the output as it arrives, up to the limit. */
  readonly onOutput?: (stream: OutputStream, chunk: Uint8Array) => void;
  readonly signal?: AbortSignal;
  /** The machine's timers by default. */
  readonly timers?: Timers;
  /** Applied before the output is counted, kept and passed on. */
  readonly filters?: Readonly<Record<OutputStream, OutputFilter>>;
}

export type OutputStream = "stdout" | "stderr";

/** Transforms a stream as it arrives, and may hold back bytes that it cannot decide on yet. */
export interface OutputFilter {
  push(chunk: Uint8Array): Uint8Array;
  /** Returns the held bytes. Not called after the output was cut, so held bytes are dropped. */
  end(): Uint8Array;
}

export interface Supervised {
  readonly code: number;
  readonly signal: string | undefined;
  readonly outcome: RunOutcome;
  readonly exceeded?: LimitKind;
  readonly stdout: string;
  readonly stderr: string;
  readonly isTruncated: boolean;
  /** The size of the kept output of both streams. */
  readonly outputBytes: number;
  readonly durationMs: number;
}

/**
 * Enforces the time and output limits of a process, and waits for its end. When `onOutput` throws, the
 * process is killed and the error is rethrown.
 *
 * Contract: called in the same turn that the process starts, so that no output is lost.
 */
export async function supervise(
  running: SandboxProcess,
  limits: RunLimits,
  options: SuperviseOptions = {},
): Promise<Supervised> {
  const { timers = systemTimers } = options;
  const started = timers.now();
  const watch = new Watch(running, limits, options);
  try {
    running.stdin.end(options.stdin ?? "");
    const [exit] = await Promise.all([running.exited, watch.read("stdout"), watch.read("stderr")]);
    const durationMs = Math.round(timers.now() - started);
    const ending = watch.ending ?? (exit.exceeded === undefined ? undefined : overLimit(exit.exceeded));
    const { code, signal } = exit;
    return { code, signal, outcome: "exited", ...watch.output(), durationMs, ...ending };
  } finally {
    watch.stop();
  }
}

interface Intervention {
  readonly outcome: RunOutcome;
  readonly exceeded?: LimitKind;
}

function overLimit(exceeded: LimitKind): Intervention {
  return { outcome: "limit_exceeded", exceeded };
}

class Watch {
  /** The reason when this supervisor killed the process. */
  ending: Intervention | undefined;
  readonly #running: SandboxProcess;
  readonly #limits: RunLimits;
  readonly #options: SuperviseOptions;
  readonly #cancelTimer: CancelTimer;
  readonly #chunks: Record<OutputStream, Uint8Array[]> = { stdout: [], stderr: [] };
  #bytes = 0;
  #cut: OutputStream | undefined;
  readonly #onAbort = (): void => this.#end({ outcome: "aborted" });

  constructor(running: SandboxProcess, limits: RunLimits, options: SuperviseOptions) {
    this.#running = running;
    this.#limits = limits;
    this.#options = options;
    const { timers = systemTimers } = options;
    const end = () => this.#end({ outcome: "timed_out", exceeded: "wall" });
    this.#cancelTimer = timers.after(limits.wallMs, end);
    options.signal?.addEventListener("abort", this.#onAbort);
    if (options.signal?.aborted === true) this.#onAbort();
  }

  async read(name: OutputStream): Promise<void> {
    try {
      const filter = this.#options.filters?.[name];
      for await (const chunk of this.#running[name]) this.#pass(name, () => filter?.push(chunk) ?? chunk);
      if (filter !== undefined) this.#pass(name, () => filter.end());
    } catch (error) {
      this.#running.kill();
      await this.#running.exited;
      throw error;
    }
  }

  output(): Pick<Supervised, "stdout" | "stderr" | "isTruncated" | "outputBytes"> {
    const isTruncated = this.#cut !== undefined;
    return {
      stdout: this.#text("stdout"),
      stderr: this.#text("stderr"),
      isTruncated,
      outputBytes: this.#bytes,
    };
  }

  stop(): void {
    this.#cancelTimer();
    this.#options.signal?.removeEventListener("abort", this.#onAbort);
  }

  /** Output past the limit is read and discarded, because a blocked writer could not exit. */
  #pass(name: OutputStream, next: () => Uint8Array): void {
    if (this.#cut === undefined) this.#take(name, next());
  }

  #take(name: OutputStream, chunk: Uint8Array): void {
    const room = this.#limits.outputBytes - this.#bytes;
    const kept = chunk.length > room ? chunk.subarray(0, room) : chunk;
    if (kept.length > 0) {
      this.#bytes += kept.length;
      this.#chunks[name].push(kept);
      this.#options.onOutput?.(name, kept);
    }
    if (chunk.length <= room) return;
    this.#cut ??= name;
    this.#end(overLimit("output"));
  }

  /** The first reason wins, because later ones are its consequences. */
  #end(ending: Intervention): void {
    this.ending ??= ending;
    this.#running.kill();
  }

  #text(name: OutputStream): string {
    const bytes = Buffer.concat(this.#chunks[name]);
    if (this.#cut !== name) return bytes.toString("utf8");
    // Streaming mode drops a character that was cut in two.
    const text = new TextDecoder().decode(bytes, { stream: true });
    return `${text}\n[output cut at ${this.#limits.outputBytes} bytes]\n`;
  }
}
