import type { Readable } from "node:stream";
import type { Timers } from "@skillhold/core/port";
import type { SandboxProcess, ToolListing } from "@skillhold/core/run";
import { SkillError } from "@skillhold/protocol/error";
import {
  type BridgeMessage,
  type BridgeReply,
  type BridgeRequest,
  bridgeLimits,
  readBridgeMessage,
  readLines,
} from "./bridge-message.ts";
import { readForeign } from "./foreign-json.ts";
import { hostClosed, notJson, toolFailed, toolInterrupted, toolTimedOut } from "./tool-failure.ts";
import { bridgeSpec, type ToolHostPorts, type ToolHostSpec } from "./tool-host-spec.ts";
import { foreignMessage, readListing } from "./tool-listing.ts";

const LOG_BYTES = 16 * 1024;

export interface ToolCallOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

/** A module ended its process or blocked it during loading. */
export class ModuleFailure extends Error {
  readonly file: string | undefined;
  /** On a timeout, the cause may be a slow machine. */
  readonly isTimeout: boolean;

  constructor(file: string | undefined, message: string, isTimeout: boolean) {
    super(message);
    this.file = file;
    this.isTimeout = isTimeout;
  }
}

/** A process with a bridge, from start to end. All of its messages are untrusted. */
export class ToolProcess {
  readonly #process: SandboxProcess;
  readonly #spec: ToolHostSpec;
  readonly #timers: Timers;
  readonly #redact: (text: string) => string;
  readonly #log: LogTail;
  readonly #ready = Promise.withResolvers<LoadedTools>();
  readonly #pending = new Map<number, PendingCall>();
  /** Abandoned calls that have not stopped yet. */
  readonly #stopping = new Map<number, PromiseWithResolvers<void>>();
  readonly #gone: Promise<void>;
  readonly #begun = new Set<string>();
  #loading: string | undefined;
  #isLoaded = false;
  #strayLines = 0;
  #lastId = 0;
  #ending: string | undefined;
  #isCanceled = false;

  /** Starts a process and waits until its modules are loaded. Throws ModuleFailure when loading fails. */
  static async start(spec: ToolHostSpec, signal: AbortSignal, ports: ToolHostPorts): Promise<StartedProcess> {
    const runtime = await ports.findRuntime(spec.language);
    const sandboxed = await ports.sandbox.start(await bridgeSpec(spec, runtime));
    const process = new ToolProcess(sandboxed, spec, ports);
    try {
      return { process, ...(await process.#load(signal)) };
    } catch (error) {
      await process.end();
      throw error;
    }
  }

  private constructor(process: SandboxProcess, spec: ToolHostSpec, ports: ToolHostPorts) {
    this.#process = process;
    this.#spec = spec;
    this.#timers = ports.timers;
    this.#redact = ports.redact;
    this.#log = new LogTail(LOG_BYTES, ports.redact);
    this.#log.read(process.stdout);
    this.#log.read(process.stderr);
    process.channel?.send.on("error", () => {});
    if (process.channel !== undefined) this.#listen(process.channel.receive);
    process.stdin.on("error", () => {});
    process.stdin.end();
    this.#gone = this.#watch();
    // `end` awaits this result; after an unexpected exit there is no caller.
    this.#gone.catch(() => {});
    this.#ready.promise.catch(() => {});
  }

  /** True when the process accepts no more calls. */
  get isOver(): boolean {
    return this.#ending !== undefined;
  }

  /** The end of the tools' output. */
  log(): string {
    return this.#log.text();
  }

  /** Resolves when every abandoned call has stopped or its process was killed. */
  async settled(): Promise<void> {
    while (this.#stopping.size > 0) {
      await Promise.all([...this.#stopping.values()].map((each) => each.promise));
    }
  }

  async call(tool: string, args: unknown, options: ToolCallOptions): Promise<unknown> {
    const { signal, timeoutMs = this.#spec.timing.callMs } = options;
    if (signal?.aborted === true) throw toolInterrupted(tool);
    if (this.#ending !== undefined) throw toolFailed(tool, this.#ending);
    this.#lastId += 1;
    const id = this.#lastId;
    const outcome = { ...Promise.withResolvers<unknown>(), tool };
    const giveUp = (error: SkillError): void => {
      if (this.#pending.delete(id)) this.#cancel(id, tool);
      outcome.reject(error);
    };
    const onAbort = (): void => giveUp(toolInterrupted(tool));
    this.#sendCall(id, tool, args);
    this.#pending.set(id, outcome);
    const cancelTimer = this.#timers.after(timeoutMs, () => giveUp(toolTimedOut(tool, timeoutMs)));
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      return await outcome.promise;
    } finally {
      cancelTimer();
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /**
   * Ends the process and its children. Pending calls are canceled. A loaded process first writes the rest of its output;
   * it is killed when it takes too long.
   */
  async end(): Promise<void> {
    this.#isCanceled = true;
    const isAsked = this.#isLoaded && !this.isOver;
    this.#ending ??= "The process was stopped.";
    if (!isAsked) this.#process.kill();
    // The bridge exits at the end of the channel.
    this.#process.channel?.send.end();
    const cancelTimer = this.#timers.after(this.#spec.timing.graceMs, () => this.#process.kill());
    try {
      await this.#gone;
    } finally {
      cancelTimer();
    }
  }

  async #load(signal: AbortSignal): Promise<LoadedTools> {
    const { startMs } = this.#spec.timing;
    // The bridge skips a module that never finishes before the whole process times out.
    const moduleMs = Math.ceil(startMs / 2);
    const { files } = this.#spec;
    const { lineBytes, toolBytes, toolValues } = bridgeLimits;
    this.#send({ id: 0, method: "load", files, moduleMs, lineBytes, toolBytes, toolValues });
    const onAbort = (): void => this.#ready.reject(hostClosed());
    const onTimeout = (): void =>
      this.#failLoading(`Loading took longer than ${startMs} ms (toolStartMs).`, true);
    const cancelTimer = this.#timers.after(startMs, onTimeout);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    try {
      return await this.#ready.promise;
    } finally {
      cancelTimer();
      signal.removeEventListener("abort", onAbort);
    }
  }

  #failLoading(message: string, isTimeout: boolean): void {
    this.#ready.reject(new ModuleFailure(this.#loading, message, isTimeout));
  }

  #listen(receive: Readable): void {
    readLines(receive, bridgeLimits.lineBytes, {
      onLine: (line) => this.#receive(line),
      onOverflow: () => this.#kill(`The process sent a line of more than ${bridgeLimits.lineBytes} bytes.`),
    });
  }

  #receive(line: string): void {
    if (this.isOver) return;
    // An idle process has no reason to send a message, so the line is not parsed.
    const isUnasked = this.#isLoaded && this.#pending.size === 0 && this.#stopping.size === 0;
    const message = isUnasked ? undefined : readBridgeMessage(line);
    if (message === undefined) this.#countStray();
    else if ("id" in message) this.#settle(message);
    else if (this.#isLoaded) this.#countStray();
    else this.#receiveLoading(message);
  }

  #receiveLoading(message: Exclude<BridgeMessage, BridgeReply>): void {
    switch (message.type) {
      case "loading":
        if (!this.#spec.files.includes(message.file) || this.#begun.has(message.file)) this.#countStray();
        else this.#begun.add(message.file);
        if (this.#begun.has(message.file)) this.#loading = message.file;
        return;
      case "oversized":
        this.#ready.reject(new ModuleFailure(undefined, message.reason, false));
        return;
      case "ready":
        this.#isLoaded = true;
        this.#ready.resolve({
          listing: readListing(message, this.#spec.files, this.#redact),
          isSure: !message.problems.some(({ isLate }) => isLate === true),
        });
    }
  }

  #countStray(): void {
    this.#strayLines += 1;
    if (this.#strayLines > bridgeLimits.strayLines) this.#kill("The process sent too many unknown lines.");
  }

  #settle(reply: BridgeReply): void {
    const outcome = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    if (outcome !== undefined) this.#resolve(outcome, reply);
    else if (this.#stopping.has(reply.id)) this.#stopping.get(reply.id)?.resolve();
    else this.#countStray();
    this.#stopping.delete(reply.id);
  }

  #resolve({ tool, resolve, reject }: PendingCall, reply: BridgeReply): void {
    if (!reply.ok) {
      const message = foreignMessage(reply.error.message, this.#redact);
      const code = foreignMessage(reply.error.code, this.#redact);
      reject(toolFailed(tool, message, { code, ...this.#evidence() }));
      return;
    }
    const result = readForeign(reply.result, { depth: bridgeLimits.resultDepth, text: this.#redact });
    if (result === undefined) reject(toolFailed(tool, "The result is nested too deeply."));
    else resolve(result.value);
  }

  /** Facts about the process that help to explain a failure. */
  #evidence(): { readonly log: string; readonly refusedHosts: readonly string[] } {
    return { log: this.log(), refusedHosts: this.#process.refusedHosts?.() ?? [] };
  }

  /** Kills the process when a canceled call does not stop. */
  #cancel(id: number, tool: string): void {
    if (this.isOver) return;
    const stopped = Promise.withResolvers<void>();
    this.#stopping.set(id, stopped);
    this.#send({ id, method: "cancel" });
    const cancelTimer = this.#timers.after(this.#spec.timing.graceMs, () =>
      this.#kill(`The tool ${tool} ignored its cancellation, so its process was killed.`),
    );
    void stopped.promise.then(cancelTimer);
  }

  #sendCall(id: number, tool: string, args: unknown): void {
    try {
      this.#send({ id, method: "call", name: tool, args });
    } catch (error) {
      throw error instanceof SkillError ? error : notJson(tool, error);
    }
  }

  #send(request: BridgeRequest): void {
    const line = `${JSON.stringify(request)}\n`;
    if (Buffer.byteLength(line) > bridgeLimits.requestBytes) {
      throw new SkillError(
        "LIMIT_EXCEEDED",
        `The arguments are larger than ${bridgeLimits.requestBytes} bytes.`,
      );
    }
    this.#process.channel?.send.write(line);
  }

  #kill(reason: string): void {
    this.#ending ??= reason;
    this.#process.kill();
  }

  async #watch(): Promise<void> {
    const exit = await this.#process.exited;
    const how = exit.exceeded === undefined ? `with code ${exit.code}` : `at its limit (${exit.exceeded})`;
    this.#ending ??= `The process exited ${how}.`;
    this.#failLoading(this.#ending, false);
    for (const { tool, reject } of this.#pending.values()) {
      reject(this.#isCanceled ? toolInterrupted(tool) : toolFailed(tool, this.#ending, this.#evidence()));
    }
    for (const stopped of this.#stopping.values()) stopped.resolve();
    this.#pending.clear();
    this.#stopping.clear();
    await this.#process.dispose();
  }
}

interface PendingCall extends PromiseWithResolvers<unknown> {
  readonly tool: string;
}

interface LoadedTools {
  readonly listing: ToolListing;
  /** False when the bridge skipped a module that did not load in time. */
  readonly isSure: boolean;
}

export interface StartedProcess extends LoadedTools {
  readonly process: ToolProcess;
}

/** Keeps the end of a program's output and discards the rest, so that the program never blocks. */
class LogTail {
  readonly #maxBytes: number;
  readonly #redact: (text: string) => string;
  #kept: Buffer = Buffer.alloc(0);

  constructor(maxBytes: number, redact: (text: string) => string) {
    this.#maxBytes = maxBytes;
    this.#redact = redact;
  }

  read(stream: Readable): void {
    stream.on("error", () => {});
    stream.on("data", (chunk: Buffer) => {
      const joined = Buffer.concat([this.#kept, chunk.subarray(-2 * this.#maxBytes)]);
      this.#kept =
        joined.length <= 4 * this.#maxBytes ? joined : Buffer.from(joined.subarray(-2 * this.#maxBytes));
    });
  }

  /** Keeps more than it returns, because half of a secret at the cut would not be redacted. */
  text(): string {
    return this.#redact(this.#kept.toString("utf8")).slice(-this.#maxBytes);
  }
}
