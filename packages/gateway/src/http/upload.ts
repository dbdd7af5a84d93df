import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as WebStream } from "node:stream/web";
import { SkillError } from "@skillhold/protocol/error";

/** A request with an archive as its body. */
export interface Uploading {
  readonly headers: Headers;
  readonly body: ReadableStream<Uint8Array>;
  readonly signal: AbortSignal;
}

export interface UploadPlace {
  /** The folder of the temporary file. */
  readonly temporary: string;
  /** The maximum size in bytes. */
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
 * Writes the body to a temporary file that only this user can read, and removes it after the work. The headers are checked
 * before the body is read, and the size limit holds while it arrives.
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
  throw new SkillError("MEDIA_TYPE_REFUSED", "The body must be a ZIP or tar.gz archive.", {
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
  // Both types describe the same web stream: one is from the DOM library, the other from Node.
  const incoming = Readable.fromWeb(body as WebStream<Uint8Array>);
  const file = createWriteStream(path, { flags: "wx", mode: 0o600 });
  try {
    await pipeline(incoming, bounded, file, { signal });
  } catch (error) {
    if (error instanceof SkillError) throw error;
    throw receiveProblem(error, incoming.errored);
  }
}

/** A disk error is the gateway's problem; any other error means that the client stopped sending. */
function receiveProblem(error: unknown, sendError: unknown): SkillError {
  if (error !== sendError && error instanceof Error && "syscall" in error)
    return new SkillError("IO_FAILED", "The archive cannot be stored.", {
      hint: "Check the free space and the permissions of the gateway's folder for temporary files.",
      cause: error,
    });
  return new SkillError("INTERRUPTED", "The upload was interrupted.", {
    hint: "Send the archive again.",
    cause: error,
  });
}
