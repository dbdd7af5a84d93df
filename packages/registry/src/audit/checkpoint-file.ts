import { constants } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { errorCodeOf } from "@skillhold/core/bundle";
import { openPrivateFile, syncFolder } from "@skillhold/core/secret";
import { SkillError } from "@skillhold/protocol/error";

/** Checkpoints of one log, kept apart from it: one JSON string per line. */
export interface CheckpointFile {
  /** The checkpoint is on disk when this returns. */
  append(note: string): Promise<void>;
  /** In order; empty without a file. Skips truncated lines. */
  read(): Promise<readonly string[]>;
}

const TITLE = { title: "The checkpoint file", mayOthersRead: true };

/** Several processes may append on a local disk, because the system appends each write as a whole. */
export function checkpointFile(path: string): CheckpointFile {
  return {
    append: async (note) => {
      const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT;
      await withFile(path, flags, (handle) => appendLine(handle, path, JSON.stringify(note)));
    },
    read: async () => {
      try {
        const text = await withFile(path, constants.O_RDONLY, (handle) => handle.readFile("utf8"));
        return text.split("\n").flatMap(readLine);
      } catch (error) {
        if (error instanceof SkillError && errorCodeOf(error.cause) === "ENOENT") return [];
        throw error;
      }
    },
  };
}

async function withFile<T>(path: string, flags: number, use: (handle: FileHandle) => Promise<T>): Promise<T> {
  const handle = await openPrivateFile(path, flags, TITLE);
  try {
    return await use(handle);
  } catch (error) {
    if (error instanceof SkillError) throw error;
    const details = { path };
    throw new SkillError("IO_FAILED", `${TITLE.title} ${path} failed.`, { details, cause: error });
  } finally {
    await handle.close();
  }
}

async function appendLine(handle: FileHandle, path: string, line: string): Promise<void> {
  const { size } = await handle.stat();
  const bytes = Buffer.from(`${(await endsInsideLine(handle, size)) ? "\n" : ""}${line}\n`);
  const { bytesWritten } = await handle.write(bytes);
  // Writing the rest would interleave with other processes.
  if (bytesWritten < bytes.length)
    throw new Error(`Only ${bytesWritten} of ${bytes.length} bytes were written.`);
  await handle.datasync();
  if (size === 0) await syncFolder(dirname(path));
}

/**
 * Whether a crash or a full disk truncated the last line. It is then terminated, so that later lines stay
 * readable.
 */
async function endsInsideLine(handle: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return false;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] !== 0x0a;
}

function readLine(line: string): readonly string[] {
  try {
    const note: unknown = JSON.parse(line);
    return typeof note === "string" ? [note] : [];
  } catch {
    // Truncated or empty. An attacker who can damage a line could also remove it.
    return [];
  }
}
