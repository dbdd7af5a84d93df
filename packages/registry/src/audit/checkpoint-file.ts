import { constants } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { errorCodeOf } from "@skillhold/core/bundle";
import { openPrivateFile, syncFolder } from "@skillhold/core/secret";
import { SkillError } from "@skillhold/protocol/error";

/** Notes about one log, apart from it: each is a line, as a JSON string. */
export interface CheckpointFile {
  /** The note is on disk when it returns. */
  append(note: string): Promise<void>;
  /** In the order in which they were kept; nothing when there is no file. A line that was cut off is left out. */
  read(): Promise<readonly string[]>;
}

const TITLE = { title: "The file of checkpoints", mayOthersRead: true };

/** Several processes may append to a file of a local disk: the system puts each write at the end, in one piece. */
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
  // The rest is not sent after it: another process may have written since.
  if (bytesWritten < bytes.length)
    throw new Error(`Only ${bytesWritten} of ${bytes.length} bytes were written.`);
  await handle.datasync();
  if (size === 0) await syncFolder(dirname(path));
}

/** Whether a write was cut off, by a crash or by a full disk: the line is ended, and those after it are readable. */
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
    // Cut off, or empty. Who could damage a line could take it away as well.
    return [];
  }
}
