import { setTimeout as sleep } from "node:timers/promises";
import {
  type JSONRPCMessage,
  parseJSONRPCMessage,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import { type Launched, launch } from "@skillhold/sandbox/backend";
import { LineBuffer } from "./line-buffer.ts";

export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** All that the process gets; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** How long a server may take to end by itself once its input has ended. */
const GRACE_MS = 1000;
/** Of what a server prints about itself, so much is kept for messages. */
const TALK_LENGTH = 1000;

/**
 * A server that is a process of ours, in a group of its own: it is ended with all that it started, whatever holds on to
 * its output. A message that is too long ends it.
 */
export class ServerProcess implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #command: ServerCommand;
  readonly #lines: LineBuffer;
  #launched: Launched | undefined;
  #failure: Error | undefined;
  #isClosed = false;
  #talk = "";

  constructor(command: ServerCommand, mostBytes: number) {
    this.#command = command;
    this.#lines = new LineBuffer(mostBytes);
  }

  /** By this and `stderr` a client knows that it speaks to a process. */
  get pid(): number | null {
    return this.#launched?.pid ?? null;
  }

  /** The last of what the server printed about itself. */
  get stderr(): string {
    return this.#talk;
  }

  /** Why it was ended by us, when it was not closed. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  async start(): Promise<void> {
    const { command, args, env, cwd } = this.#command;
    const launched = await launch([command, ...args], { env, cwd });
    this.#launched = launched;
    // Whoever closed it while it started did not wait for it.
    if (this.#isClosed) launched.kill();
    launched.stdout.on("data", (chunk: Buffer) => this.#take(chunk));
    launched.stderr.on("data", (chunk: Buffer) => {
      this.#talk = (this.#talk + chunk.toString("utf8")).slice(-TALK_LENGTH);
    });
    launched.exited.then(
      () => this.#end(launched),
      () => this.#end(launched),
    );
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#launched?.stdin;
    if (stdin === undefined || !stdin.writable) throw new Error("The server has ended.");
    await new Promise<void>((resolve, reject) => {
      stdin.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()));
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const launched = this.#launched;
    if (launched === undefined) return;
    launched.stdin.end();
    const waiting = new AbortController();
    const grace = sleep(GRACE_MS, undefined, { signal: waiting.signal }).catch(() => undefined);
    await Promise.race([launched.exited, grace]);
    waiting.abort();
    launched.kill();
    await launched.exited;
    this.#end(launched);
  }

  #take(chunk: Buffer): void {
    try {
      for (const line of this.#lines.take(chunk)) this.#receive(line);
    } catch (error) {
      this.#failure = asError(error);
      this.onerror?.(this.#failure);
      this.#launched?.kill();
    }
  }

  /** What is no message is talk that a server should have printed elsewhere. */
  #receive(line: string): void {
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(JSON.parse(line));
    } catch {
      return;
    }
    this.onmessage?.(message);
  }

  /** Only once, when the first process has ended: what it left behind goes with it. */
  #end(launched: Launched): void {
    if (this.#launched !== launched) return;
    this.#launched = undefined;
    launched.killGroup();
    for (const stream of [launched.stdin, launched.stdout, launched.stderr]) stream.destroy();
    this.onclose?.();
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
