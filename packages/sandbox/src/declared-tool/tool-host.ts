import type { CancelTimer } from "@skillhold/core/port";
import type { ToolListing, ToolProblem } from "@skillhold/core/run";
import { SkillError } from "@skillhold/protocol/error";
import { hostClosed, toolInterrupted, toolNotFound } from "./tool-failure.ts";
import type { ToolHostPorts, ToolHostSpec } from "./tool-host-spec.ts";
import { ModuleFailure, type StartedProcess, type ToolCallOptions, ToolProcess } from "./tool-process.ts";

/** The number of modules that may crash a process before loading stops. */
const LOST_MODULES = 4;

/**
 * The tools of one skill in one language. The process starts on first use, which runs the modules; after it
 * ends, the next call starts it again.
 */
export interface ToolHost {
  tools(): Promise<ToolListing>;
  /** False when a module timed out while loading, so the listing may be incomplete. */
  readonly isSure: boolean;
  /**
   * Runs a tool and returns its result. Throws TOOL_NOT_FOUND, TOOL_FAILED with the tool's own message,
   * TIMED_OUT and INTERRUPTED, and passes on errors of the sandbox.
   */
  call(tool: string, args: Readonly<Record<string, unknown>>, options?: ToolCallOptions): Promise<unknown>;
  /** The recent output of the tools. */
  log(): string;
  close(): Promise<void>;
}

export function openToolHost(spec: ToolHostSpec, ports: ToolHostPorts): ToolHost {
  return new LazyToolHost(spec, ports);
}

class LazyToolHost implements ToolHost {
  readonly #spec: ToolHostSpec;
  readonly #ports: ToolHostPorts;
  /** Modules that crashed their process, which are not loaded again. */
  readonly #lost = new Map<string, string>();
  readonly #closing = new AbortController();
  #started: Promise<StartedProcess> | undefined;
  #process: ToolProcess | undefined;
  #cancelIdle: CancelTimer | undefined;
  #calls = 0;
  #isSure = true;

  constructor(spec: ToolHostSpec, ports: ToolHostPorts) {
    this.#spec = spec;
    this.#ports = ports;
  }

  get isSure(): boolean {
    return this.#isSure;
  }

  async tools(): Promise<ToolListing> {
    return this.#busy(async () => (await this.#running()).listing);
  }

  async call(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    options: ToolCallOptions = {},
  ): Promise<unknown> {
    return this.#busy(async () => {
      const { process, listing } = await untilAborted(this.#running(), tool, options.signal);
      if (!listing.tools.some((each) => each.name === tool)) {
        throw toolNotFound(tool, listing.tools);
      }
      return process.call(tool, args, options);
    });
  }

  log(): string {
    return this.#process?.log() ?? "";
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#cancelIdle?.();
    await this.#end();
  }

  /** The process does not count as idle during `work`. */
  async #busy<T>(work: () => Promise<T>): Promise<T> {
    this.#calls += 1;
    this.#cancelIdle?.();
    try {
      return await work();
    } finally {
      this.#calls -= 1;
      if (this.#calls === 0 && !this.#closing.signal.aborted) this.#awaitIdle();
    }
  }

  #awaitIdle(): void {
    const end = () => void this.#end().catch(() => {});
    this.#cancelIdle = this.#ports.timers.after(this.#spec.timing.idleMs, end, { isBackground: true });
  }

  async #end(): Promise<void> {
    const started = this.#started;
    this.#started = undefined;
    // A failed start was reported to its caller and left no process.
    const running = await started?.catch(() => undefined);
    await running?.process.end();
  }

  async #running(): Promise<StartedProcess> {
    // A process with an abandoned call may be killed soon, which would lose a new call.
    await this.#process?.settled();
    if (this.#closing.signal.aborted) throw hostClosed();
    if (this.#process?.isOver === true) this.#started = undefined;
    this.#started ??= this.#start();
    return this.#started;
  }

  async #start(): Promise<StartedProcess> {
    this.#process = undefined;
    try {
      for (;;) {
        const started = await this.#tryStart();
        if (started === undefined) continue;
        this.#process = started.process;
        return started;
      }
    } catch (error) {
      this.#started = undefined;
      throw error;
    }
  }

  /** Returns undefined when a module crashed the process; the caller tries again without it. */
  async #tryStart(): Promise<StartedProcess | undefined> {
    const files = this.#spec.files.filter((file) => !this.#lost.has(file));
    try {
      const { process, listing, isSure } = await ToolProcess.start(
        { ...this.#spec, files },
        this.#closing.signal,
        this.#ports,
      );
      if (!isSure) this.#isSure = false;
      const problems = [...this.#lostProblems(), ...listing.problems];
      return { process, listing: { tools: listing.tools, problems }, isSure };
    } catch (error) {
      if (!(error instanceof ModuleFailure)) throw error;
      if (error.file === undefined || this.#lost.size >= LOST_MODULES) {
        throw new SkillError("TOOL_FAILED", `The tools of the skill did not load: ${error.message}`);
      }
      this.#lost.set(error.file, error.message);
      if (error.isTimeout) this.#isSure = false;
      return undefined;
    }
  }

  #lostProblems(): readonly ToolProblem[] {
    return [...this.#lost].map(([file, message]) => ({ file, message }));
  }
}

/** An abort stops only the wait; the start continues for later callers. */
async function untilAborted<T>(work: Promise<T>, tool: string, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  const aborted = Promise.withResolvers<never>();
  const stop = (): void => aborted.reject(toolInterrupted(tool));
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
