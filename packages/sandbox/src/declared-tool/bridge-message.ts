import type { Readable } from "node:stream";
import { z } from "zod";

const MB = 1024 * 1024;

/**
 * The limits for messages from a bridge. A longer line ends the process; other excess is dropped. They also
 * bound the time that the host spends on one line, because its content is hostile.
 */
export const bridgeLimits = {
  lineBytes: MB,
  /** Values in a line, including nested ones. */
  values: 20_000,
  /** The line that lists the tools. */
  listingBytes: 512 * 1024,
  /** The listed tools. The bridge drops the rest and reports a problem. */
  toolBytes: 384 * 1024,
  toolValues: 16_000,
  /** A request to a bridge. */
  requestBytes: 4 * MB,
  tools: 256,
  problems: 512,
  nameLength: 128,
  descriptionLength: 4096,
  schemaTextLength: 1024,
  schemaBytes: 64 * 1024,
  schemaDepth: 32,
  resultDepth: 64,
  messageLength: 2000,
  /** Unknown lines; more of them end the process. */
  strayLines: 1000,
} as const;

const Loading = z.object({ type: z.literal("loading"), file: z.string() });

const Ready = z.object({
  type: z.literal("ready"),
  tools: z
    .array(
      z.object({
        name: z.string(),
        description: z.string(),
        file: z.string(),
        inputSchema: z.unknown().optional(),
        outputSchema: z.unknown().optional(),
      }),
    )
    .max(bridgeLimits.tools),
  problems: z
    .array(z.object({ file: z.string(), error: z.string(), isLate: z.boolean().optional() }))
    .max(bridgeLimits.problems),
});
export type BridgeReady = z.infer<typeof Ready>;

const Reply = z.discriminatedUnion("ok", [
  z.object({ id: z.int(), ok: z.literal(true), result: z.unknown().optional() }),
  z.object({ id: z.int(), ok: z.literal(false), error: z.object({ code: z.string(), message: z.string() }) }),
]);
export type BridgeReply = z.infer<typeof Reply>;

/** A listing that exceeds the limits. */
interface Oversized {
  readonly type: "oversized";
  readonly reason: string;
}

const Message = z.union([Loading, Ready, Reply]);
export type BridgeMessage = z.infer<typeof Message> | Oversized;

/**
 * Parses a line from a bridge. Returns undefined for unknown lines, because a tool can write to the channel
 * too.
 */
export function readBridgeMessage(line: string): BridgeMessage | undefined {
  if (countValues(line) > bridgeLimits.values) return refuseValues(line);
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    return undefined;
  }
  const message = Message.safeParse(parsed).data;
  const isListing = message !== undefined && "type" in message && message.type === "ready";
  return isListing && Buffer.byteLength(line) > bridgeLimits.listingBytes
    ? { type: "oversized", reason: `The tool list has more than ${bridgeLimits.listingBytes} bytes.` }
    : message;
}

/** Each value after the first follows one of these characters; counting them is much cheaper than parsing. */
function countValues(line: string): number {
  let count = 1;
  let isText = false;
  for (let at = 0; at < line.length; at += 1) {
    const unit = line.charCodeAt(at);
    if (unit === 0x22) isText = !isText;
    else if (isText && unit === 0x5c) at += 1;
    else if (!isText && (unit === 0x2c || unit === 0x5b || unit === 0x7b)) count += 1;
  }
  return count;
}

/** Bridges put the id first, so that the call is known without parsing the rest. */
function refuseValues(line: string): BridgeMessage | undefined {
  const problem = `more than ${bridgeLimits.values} values`;
  const id = /^\{"id": ?(\d{1,15}),/.exec(line)?.[1];
  if (id !== undefined) {
    const message = `The result has ${problem}.`;
    return { id: Number(id), ok: false, error: { code: "LIMIT_EXCEEDED", message } };
  }
  const isListing = /^\{"type": ?"ready",/.test(line);
  return isListing ? { type: "oversized", reason: `The tool list has ${problem}.` } : undefined;
}

/** A request to a bridge. */
export type BridgeRequest =
  | {
      readonly id: number;
      readonly method: "load";
      readonly files: readonly string[];
      readonly moduleMs: number;
      readonly lineBytes: number;
      readonly toolBytes: number;
      readonly toolValues: number;
    }
  | { readonly id: number; readonly method: "call"; readonly name: string; readonly args: unknown }
  | { readonly id: number; readonly method: "cancel" };

interface LineHandlers {
  onLine(line: string): void;
  /** Called when a line exceeds `maxBytes`. Reading stops then. */
  onOverflow(): void;
}

/** Passes on each line of a stream, and buffers at most one line. */
export function readLines(stream: Readable, maxBytes: number, handlers: LineHandlers): void {
  let parts: Buffer[] = [];
  let length = 0;
  let isOver = false;
  const keep = (part: Buffer): boolean => {
    length += part.length;
    if (length > maxBytes) isOver = true;
    else parts.push(part);
    return !isOver;
  };
  stream.on("error", () => {});
  stream.on("data", (chunk: Buffer) => {
    let start = 0;
    while (!isOver && start < chunk.length) {
      const end = chunk.indexOf(0x0a, start);
      if (!keep(chunk.subarray(start, end < 0 ? chunk.length : end))) {
        parts = [];
        handlers.onOverflow();
      } else if (end >= 0) {
        const line = Buffer.concat(parts).toString("utf8");
        parts = [];
        length = 0;
        handlers.onLine(line);
      }
      start = end < 0 ? chunk.length : end + 1;
    }
  });
}
