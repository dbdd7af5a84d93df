import type { Readable } from "node:stream";
import { deserialize, serialize } from "node:v8";
import type { DependencyManifest, ScanCall, ScanFile } from "@skillhold/core/dependency";
import type { GuardFile, GuardReport } from "@skillhold/skill/guard";

/** The descriptors of the process: it reads requests from one and writes its answers to the other. */
export const REQUESTS = 3;
export const ANSWERS = 4;

export type ScanRequest =
  | {
      readonly kind: "dependencies";
      readonly files: readonly ScanFile[];
      readonly options: Omit<ScanCall, "signal">;
    }
  | { readonly kind: "guard"; readonly files: readonly GuardFile[]; readonly name: string };

export type ScanAnswer = { readonly value: DependencyManifest | GuardReport } | { readonly problem: string };

/** A message with its length before it. */
export function encodeMessage(message: ScanRequest | ScanAnswer): Buffer {
  const body = serialize(message);
  const head = Buffer.alloc(4);
  head.writeUInt32BE(body.length);
  return Buffer.concat([head, body]);
}

/**
 * Calls back with each message of a stream. A message above `maxBytes` destroys the stream.
 *
 * Contract: the other end is our own program, so a message has the announced shape.
 */
export function readMessages<T>(stream: Readable, maxBytes: number, onMessage: (message: T) => void): void {
  let chunks: Buffer[] = [];
  let size = 0;
  stream.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    for (;;) {
      if (size < 4) return;
      const first = chunks[0] !== undefined && chunks[0].length >= 4 ? chunks[0] : Buffer.concat(chunks);
      const length = first.readUInt32BE(0);
      if (length > maxBytes) {
        stream.destroy(new Error(`A message of ${length} bytes is too long.`));
        return;
      }
      if (size < 4 + length) return;
      const all = Buffer.concat(chunks);
      chunks = [all.subarray(4 + length)];
      size -= 4 + length;
      onMessage(deserialize(all.subarray(4, 4 + length)) as T);
    }
  });
}
