import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as WebStream } from "node:stream/web";
import { SkillError } from "@skillhold/protocol/error";

/** A request that brings an archive. */
export interface Uploading {
  readonly headers: Headers;
  readonly body: ReadableStream<Uint8Array>;
  readonly signal: AbortSignal;
}

export interface UploadPlace {
  /** The folder in which it lies while it is looked at. */
  readonly temporary: string;
  /** Bytes at most. */
  readonly max: number;
}

const types: ReadonlySet<string> = new Set([
  "application/zip",
  "application/x-zip-compressed",
  "application/gzip",
  "application/x-gzip",
  "application/x-tar+gzip",
  "application/octet-stream",
]);

/**
 * Writes the body of a request to a file of its own, which only this process's user can read and which goes away
 * with the work that is done on it. What it says of itself is looked at before anything is read, and what it is while
 * it comes in.
 */
export async function withUpload<T>(
  uploading: Uploading,
  place: UploadPlace,
  work: (path: string) => Promise<T>,
): Promise<T> {
  rejectType(uploading.headers);
  rejectLength(uploading.headers, place.max);
  const path = join(place.temporary, `skillhold-upload-${randomUUID()}`);
  try {
    await receive(uploading, path, place.max);
    return await work(path);
  } finally {
    await rm(path, { force: true });
  }
}

function rejectType(headers: Headers): void {
  const type = (headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (types.has(type)) return;
  throw new SkillError("MEDIA_TYPE_REFUSED", "The body must be the bytes of a ZIP or a tar.gz.", {
    hint: "Send the file itself: `curl --data-binary @skill.zip -H 'Content-Type: application/zip' …`.",
  });
}

function rejectLength(headers: Headers, max: number): void {
  const length = headers.get("content-length");
  if (length !== null && Number(length) > max) throw tooLarge(max);
}

function tooLarge(max: number): SkillError {
  return new SkillError("LIMIT_EXCEEDED", `The archive is larger than ${max} bytes (limit archiveBytes).`, {
    details: { limit: "archiveBytes", max },
  });
}

async function receive({ body, signal }: Uploading, path: string, max: number): Promise<void> {
  const bounded = async function* (parts: AsyncIterable<Uint8Array>) {
    let size = 0;
    for await (const part of parts) {
      size += part.byteLength;
      if (size > max) throw tooLarge(max);
      yield part;
    }
  };
  // The two types are of one thing: the platform's stream as the browser's library and as Node's describe it.
  const incoming = Readable.fromWeb(body as WebStream<Uint8Array>);
  const file = createWriteStream(path, { flags: "wx", mode: 0o600 });
  try {
    await pipeline(incoming, bounded, file, { signal });
  } catch (error) {
    if (error instanceof SkillError) throw error;
    throw explain(error, incoming.errored);
  }
}

/** What the disk refuses is ours to mend; all else is that nobody sends any more. */
function explain(error: unknown, sending: unknown): SkillError {
  if (error !== sending && error instanceof Error && "syscall" in error)
    return new SkillError("IO_FAILED", "The archive cannot be kept while it is received.", {
      hint: "Check that there is room in the gateway's folder for temporary files, and that it may be written to.",
      cause: error,
    });
  return new SkillError("INTERRUPTED", "The archive did not arrive whole.", {
    hint: "Send it again.",
    cause: error,
  });
}
