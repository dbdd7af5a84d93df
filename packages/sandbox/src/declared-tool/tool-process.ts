import type { Readable } from "node:stream";
import type { SandboxProcess, ToolListing } from "@skillhold/core/run";
import { SkillError } from "@skillhold/protocol/error";
import { readLines } from "./bridge-line.ts";
import {
  type BridgeMessage,
  type BridgeReply,
  type BridgeRequest,
  bridgeLimits,
  readBridgeMessage,
} from "./bridge-message.ts";
import { bridgeSpec } from "./bridge-spec.ts";
import { readForeign } from "./foreign-json.ts";
import { LogTail } from "./log-tail.ts";
import { hostClosed, notJson, toolFailed, toolInterrupted, toolTimedOut } from "./tool-failure.ts";
import type { ToolHostPorts, ToolHostSpec } from "./tool-host-spec.ts";
import { foreignMessage, readListing } from "./tool-listing.ts";

const LOG_BYTES = 16 * 1024;

export interface ToolCallOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

/** A module ended its process or kept it from answering while it was loaded. */
export class ModuleFailure extends Error {
  readonly file: string | undefined;
  /** Then it may be the machine that was slow. */
  readonly isTimeout: boolean;

  constructor(file: string | undefined, message: string, isTimeout: boolean) {
    super(message);
    this.file = file;
    this.isTimeout = isTimeout;
  }
}

/** One process with a bridge in it, from its start to its end. Whatever it sends may come from a stranger's code. */
export class ToolProcess {
  readonly #process: SandboxProcess;
  readonly #spec: ToolHostSpec;
  readonly #redact: (text: string) => string;
  readonly #log: LogTail;
  readonly #ready = Promise.withResolvers<LoadedTools>();
  readonly #pending = new Map<number, PendingCall>();
  /** Calls that were given up and have not stopped yet. */
  readonly #stopping = new Map<number, PromiseWithResolvers<void>>();
  readonly #gone: Promise<void>;
  readonly #begun = new Set<string>();
  #loading: string | undefined;
  #isLoaded = false;
  #strayLines = 0;
  #lastId = 0;
  #ending: string | undefined;
  #isCalledOff = false;

  /** Starts a process and waits until it has loaded the modules; throws ModuleFailure when that does not come about. */
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
    this.#redact = ports.redact;
    this.#log = new LogTail(LOG_BYTES, ports.redact);
    this.#log.read(process.stdout);
    this.#log.read(process.stderr);
    process.channel?.send.on("error", () => {});
    if (process.channel !== undefined) this.#listen(process.channel.receive);
    process.stdin.on("error", () => {});
    process.stdin.end();
    this.#gone = this.#watch();
    // Whoever ends the process is told; when it ended by itself there is nobody to tell.
    this.#gone.catch(() => {});
    this.#ready.promise.catch(() => {});
  }

  /** Whether it takes no more calls. */
  get isOver(): boolean {
    return this.#ending !== undefined;
  }

  /** What its tools have printed, the end of it. */
  log(): string {
    return this.#log.text();
  }

  /** Resolves when no call is left that was given up: it has stopped, or the process was ended for it. */
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
    const timer = setTimeout(() => giveUp(toolTimedOut(tool, timeoutMs)), timeoutMs);
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      return await outcome.promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** Ends the process and all that it started; calls that wait for it are called off. */
  async end(): Promise<void> {
    this.#isCalledOff = true;
    this.#kill("Its process was ended.");
    await this.#gone;
  }

  async #load(signal: AbortSignal): Promise<LoadedTools> {
    const { startMs } = this.#spec.timing;
    // A module that waits for ever is left out by the bridge, before the process as a whole is out of time.
    const moduleMs = Math.ceil(startMs / 2);
    const { files } = this.#spec;
    const { lineBytes, toolBytes, toolValues } = bridgeLimits;
    this.#send({ id: 0, method: "load", files, moduleMs, lineBytes, toolBytes, toolValues });
    const onAbort = (): void => this.#ready.reject(hostClosed());
    const onTimeout = (): void =>
      this.#failLoading(`It was not loaded within ${startMs} ms (toolStartMs).`, true);
    const timer = setTimeout(onTimeout, startMs);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    try {
      return await this.#ready.promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    }
  }

  #failLoading(message: string, isTimeout: boolean): void {
    this.#ready.reject(new ModuleFailure(this.#loading, message, isTimeout));
  }

  #listen(receive: Readable): void {
    readLines(receive, bridgeLimits.lineBytes, {
      onLine: (line) => this.#hear(line),
      onOverflow: () => this.#kill(`It sent a line of more than ${bridgeLimits.lineBytes} bytes.`),
    });
  }

  #hear(line: string): void {
    if (this.isOver) return;
    // Then it answers nothing, whatever it is, and need not be read.
    const isUnasked = this.#isLoaded && this.#pending.size === 0 && this.#stopping.size === 0;
    const message = isUnasked ? undefined : readBridgeMessage(line);
    if (message === undefined) this.#countStray();
    else if ("id" in message) this.#settle(message);
    else if (this.#isLoaded) this.#countStray();
    else this.#hearLoading(message);
  }

  #hearLoading(message: Exclude<BridgeMessage, BridgeReply>): void {
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
    if (this.#strayLines > bridgeLimits.strayLines) this.#kill("It sent too much that means nothing.");
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
      reject(toolFailed(tool, message, { code, log: this.log() }));
      return;
    }
    const result = readForeign(reply.result, { depth: bridgeLimits.resultDepth, text: this.#redact });
    if (result === undefined) reject(toolFailed(tool, "Its result is nested too deeply."));
    else resolve(result.value);
  }

  /** A call that does not stop when it is told to loses its process. */
  #cancel(id: number, tool: string): void {
    if (this.isOver) return;
    const stopped = Promise.withResolvers<void>();
    this.#stopping.set(id, stopped);
    this.#send({ id, method: "cancel" });
    const timer = setTimeout(
      () => this.#kill(`The tool ${tool} did not stop when it was told to, and its process was ended.`),
      this.#spec.timing.graceMs,
    );
    void stopped.promise.then(() => clearTimeout(timer));
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
    this.#ending ??= `Its process ended by itself, ${how}.`;
    this.#failLoading(this.#ending, false);
    for (const { tool, reject } of this.#pending.values()) {
      reject(this.#isCalledOff ? toolInterrupted(tool) : toolFailed(tool, this.#ending, { log: this.log() }));
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
  /** Not when the bridge left a module out that did not load in time. */
  readonly isSure: boolean;
}

export interface StartedProcess extends LoadedTools {
  readonly process: ToolProcess;
}
