import type { LimitKind, RunLimits, SandboxProcess } from "@skillhold/core/run";
import type { RunOutcome } from "@skillhold/protocol";

export interface SuperviseOptions {
  /** What the program reads; nothing unless given. */
  readonly stdin?: string | Uint8Array;
  /** Gets the output as it comes, up to the limit. */
  readonly onOutput?: (stream: OutputStream, chunk: Uint8Array) => void;
  readonly signal?: AbortSignal;
  /** Change the output before it is counted, kept and passed on. */
  readonly filters?: Readonly<Record<OutputStream, OutputFilter>>;
}

export type OutputStream = "stdout" | "stderr";

/** Changes a stream as it comes; it may hold back what it cannot judge yet. */
export interface OutputFilter {
  push(chunk: Uint8Array): Uint8Array;
  /** What is still held back. Not asked for once the output was cut: what was held goes with the rest. */
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
  /** What was kept of both streams together. */
  readonly outputBytes: number;
  readonly durationMs: number;
}

/**
 * Holds a process to its time and its output, and waits for its end, which it brings about when it has to. When
 * `onOutput` throws, the process is ended and the failure is passed on.
 *
 * Contract: called in the turn in which the process was started, so that none of its output is lost.
 */
export async function supervise(
  running: SandboxProcess,
  limits: RunLimits,
  options: SuperviseOptions = {},
): Promise<Supervised> {
  const started = performance.now();
  const watch = new Watch(running, limits, options);
  try {
    running.stdin.end(options.stdin ?? "");
    const [exit] = await Promise.all([running.exited, watch.read("stdout"), watch.read("stderr")]);
    const durationMs = Math.round(performance.now() - started);
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
  /** Why the process was ended, when it was ended by us. */
  ending: Intervention | undefined;
  readonly #running: SandboxProcess;
  readonly #limits: RunLimits;
  readonly #options: SuperviseOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #chunks: Record<OutputStream, Uint8Array[]> = { stdout: [], stderr: [] };
  #bytes = 0;
  #cut: OutputStream | undefined;
  readonly #onAbort = (): void => this.#end({ outcome: "aborted" });

  constructor(running: SandboxProcess, limits: RunLimits, options: SuperviseOptions) {
    this.#running = running;
    this.#limits = limits;
    this.#options = options;
    this.#timer = setTimeout(() => this.#end({ outcome: "timed_out", exceeded: "wall" }), limits.wallMs);
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
    clearTimeout(this.#timer);
    this.#options.signal?.removeEventListener("abort", this.#onAbort);
  }

  /** What comes after the limit is read and forgotten: a process can only end when nobody keeps it waiting. */
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

  /** The first reason is the reason: what follows is its effect. */
  #end(ending: Intervention): void {
    this.ending ??= ending;
    this.#running.kill();
  }

  #text(name: OutputStream): string {
    const bytes = Buffer.concat(this.#chunks[name]);
    if (this.#cut !== name) return bytes.toString("utf8");
    // As a stream, so that a character that was cut in two is left out.
    const text = new TextDecoder().decode(bytes, { stream: true });
    return `${text}\n[output cut at ${this.#limits.outputBytes} bytes]\n`;
  }
}
