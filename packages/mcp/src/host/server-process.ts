import {
  type JSONRPCMessage,
  parseJSONRPCMessage,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import { pause, type Timers } from "@skillhold/core/port";
import { parseBoundedJson } from "@skillhold/core/text";
import { type Launched, launch } from "@skillhold/sandbox/backend";
import { refuse } from "./refusal.ts";

export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment of the process. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** The time for a server to exit after its input is closed. */
const GRACE_MS = 1000;
/** The length of the stderr that messages show. */
const STDERR_LENGTH = 1000;

/**
 * A server in a child process with its own process group. Closing kills the whole group, even when a grandchild keeps the
 * output open. A message that is too long kills it.
 */
export class ServerProcess implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #command: ServerCommand;
  readonly #lines: LineBuffer;
  readonly #timers: Timers;
  #launched: Launched | undefined;
  #failure: Error | undefined;
  #isClosed = false;
  #stderr = "";

  constructor(command: ServerCommand, mostBytes: number, timers: Timers) {
    this.#command = command;
    this.#lines = new LineBuffer(mostBytes);
    this.#timers = timers;
  }

  /** The SDK detects a process by this and `stderr`. */
  get pid(): number | null {
    return this.#launched?.pid ?? null;
  }

  /** The end of the server's stderr. */
  get stderr(): string {
    return this.#stderr;
  }

  /** Why the process was killed, if it was not closed. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  async start(): Promise<void> {
    const { command, args, env, cwd } = this.#command;
    const launched = await launch([command, ...args], { env, cwd });
    this.#launched = launched;
    // The transport may have been closed during the start.
    if (this.#isClosed) launched.kill();
    launched.stdout.on("data", (chunk: Buffer) => this.#split(chunk));
    launched.stderr.on("data", (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString("utf8")).slice(-STDERR_LENGTH);
    });
    launched.exited.then(
      () => this.#end(launched),
      () => this.#end(launched),
    );
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#launched?.stdin;
    if (stdin === undefined || !stdin.writable) throw new Error("The server has exited.");
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
    const grace = pause(GRACE_MS, this.#timers, { signal: waiting.signal });
    await Promise.race([launched.exited, grace]);
    waiting.abort();
    launched.kill();
    await launched.exited;
    this.#end(launched);
  }

  #split(chunk: Buffer): void {
    try {
      for (const line of this.#lines.split(chunk)) this.#receive(line);
    } catch (error) {
      this.#failure = asError(error);
      this.onerror?.(this.#failure);
      this.#launched?.kill();
    }
  }

  /** Ignores lines that are not messages, which a server should print to stderr. */
  #receive(line: string): void {
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(parseBoundedJson(line));
    } catch {
      return;
    }
    this.onmessage?.(message);
  }

  /** Runs once, when the process has exited, and kills the rest of its group. */
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

const NEWLINE = 0x0a;

/** Splits chunks into lines in linear time, and rejects a line that is too long. */
export class LineBuffer {
  readonly #mostBytes: number;
  #parts: Buffer[] = [];
  #length = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  split(chunk: Buffer): readonly string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#add(chunk.subarray(start, end));
      lines.push(Buffer.concat(this.#parts).toString("utf8"));
      this.#parts = [];
      this.#length = 0;
      start = end + 1;
    }
    this.#add(chunk.subarray(start));
    return lines;
  }

  #add(part: Buffer): void {
    this.#length += part.length;
    if (this.#length > this.#mostBytes) {
      this.#parts = [];
      throw refuse("MCP_ANSWER_INVALID", `The server sent a message of more than ${this.#mostBytes} bytes.`);
    }
    if (part.length > 0) this.#parts.push(part);
  }
}
