import type { ToolListing, ToolProblem } from "@skillhold/core/run";
import { SkillError } from "@skillhold/protocol/error";
import { hostClosed, toolInterrupted, toolNotFound } from "./tool-failure.ts";
import type { ToolHostPorts, ToolHostSpec } from "./tool-host-spec.ts";
import { ModuleFailure, type StartedProcess, type ToolCallOptions, ToolProcess } from "./tool-process.ts";

/** A process may be lost to this many modules before the rest is given up. */
const LOST_MODULES = 4;

/**
 * The tools of one skill in one language. Their process is started when it is first needed, which runs the modules;
 * one that has ended is started again by the next call.
 */
export interface ToolHost {
  tools(): Promise<ToolListing>;
  /** Whether that is all there is to know; not when a module was left out that did not load in time. */
  readonly isSure: boolean;
  /**
   * Runs a tool and gives what it gave. Throws TOOL_NOT_FOUND, TOOL_FAILED with the tool's own message, TIMED_OUT and
   * INTERRUPTED; what starting a sandbox throws is passed on.
   */
  call(tool: string, args: Readonly<Record<string, unknown>>, options?: ToolCallOptions): Promise<unknown>;
  /** What the tools have printed lately. */
  log(): string;
  close(): Promise<void>;
}

export function openToolHost(spec: ToolHostSpec, ports: ToolHostPorts): ToolHost {
  return new LazyToolHost(spec, ports);
}

class LazyToolHost implements ToolHost {
  readonly #spec: ToolHostSpec;
  readonly #ports: ToolHostPorts;
  /** Modules that their process did not survive: they are not loaded again. */
  readonly #lost = new Map<string, string>();
  readonly #closing = new AbortController();
  #started: Promise<StartedProcess> | undefined;
  #process: ToolProcess | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
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
        throw toolNotFound(tool);
      }
      return process.call(tool, args, options);
    });
  }

  log(): string {
    return this.#process?.log() ?? "";
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#idleTimer);
    await this.#end();
  }

  /** While something is under way the process is not idle. */
  async #busy<T>(work: () => Promise<T>): Promise<T> {
    this.#calls += 1;
    clearTimeout(this.#idleTimer);
    try {
      return await work();
    } finally {
      this.#calls -= 1;
      if (this.#calls === 0 && !this.#closing.signal.aborted) this.#awaitIdle();
    }
  }

  #awaitIdle(): void {
    this.#idleTimer = setTimeout(() => {
      this.#end().catch(() => {});
    }, this.#spec.timing.idleMs);
    this.#idleTimer.unref();
  }

  async #end(): Promise<void> {
    const started = this.#started;
    this.#started = undefined;
    // One that could not be started has told its caller and left nothing behind.
    const running = await started?.catch(() => undefined);
    await running?.process.end();
  }

  async #running(): Promise<StartedProcess> {
    // A process with a call that was given up may be ended for it, and what is asked of it now would be lost.
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

  /** Nothing when a module was found that no process survives: the others are tried without it. */
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
        throw new SkillError("TOOL_FAILED", `The tools of the skill could not be loaded. ${error.message}`);
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

/** The start goes on for those who come after. */
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
