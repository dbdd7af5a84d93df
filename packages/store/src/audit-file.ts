import { constants } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { type AuditSink, openPrivateFile, syncFolder } from "@skillhold/core";
import type { SkillEvent } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";

/** What the log needs of an open file. */
export type AuditHandle = Pick<FileHandle, "stat" | "read" | "write" | "datasync" | "close">;

export interface AuditFilePorts {
  /** Opens the file for appending, and makes it when it is not there. */
  readonly open: (path: string) => Promise<AuditHandle>;
}

/**
 * A log of one JSON line an event. A record is on disk before `record` resolves. Records that come while others are
 * being written wait together, and are written together: one write and one sync for all of them.
 *
 * Several processes may append to a file of a local disk: the system puts each write at the end, in one piece. Not so
 * on network file systems. The file is opened for each write, so that one that was moved or deleted is made anew.
 */
export function openAuditFile(path: string, ports: AuditFilePorts = { open: openForAppending }): AuditFile {
  return new AuditFile(path, ports);
}

interface Waiting {
  readonly line: Buffer;
  readonly written: PromiseWithResolvers<void>;
}

export class AuditFile implements AuditSink {
  readonly #path: string;
  readonly #ports: AuditFilePorts;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  #isClosed = false;

  constructor(path: string, ports: AuditFilePorts) {
    this.#path = path;
    this.#ports = ports;
  }

  /** When a write fails, so do the records that wait for the next one; later records try again. */
  async record(event: SkillEvent): Promise<void> {
    if (this.#isClosed) throw new SkillError("USAGE", "The audit log is closed.");
    const line = Buffer.from(`${JSON.stringify(event)}\n`);
    const written = Promise.withResolvers<void>();
    this.#waiting.push({ line, written });
    this.#writing ??= this.#writeAll();
    await written.promise;
  }

  /** Waits for what is being written; nothing can be recorded any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#writing;
  }

  /** Never fails: each failure is told to those who wait for it. */
  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        await this.#append(Buffer.concat(batch.map(({ line }) => line)));
        for (const { written } of batch) written.resolve();
      } catch (error) {
        const failure = this.#explain(error);
        for (const { written } of [...batch, ...this.#waiting]) written.reject(failure);
        this.#waiting = [];
      }
    }
    // In the same turn as the last look at those who wait, or the next one would wait for ever.
    this.#writing = undefined;
  }

  async #append(lines: Buffer): Promise<void> {
    const handle = await this.#ports.open(this.#path);
    try {
      const { size } = await handle.stat();
      const whole = (await endsInsideLine(handle, size)) ? Buffer.concat([Buffer.from("\n"), lines]) : lines;
      const { bytesWritten } = await handle.write(whole);
      // The rest is not sent after it: another process may have written since.
      if (bytesWritten < whole.length)
        throw new Error(`Only ${bytesWritten} of ${whole.length} bytes were written.`);
      await handle.datasync();
      if (size === 0) await syncFolder(dirname(this.#path));
    } finally {
      await handle.close();
    }
  }

  #explain(cause: unknown): SkillError {
    if (cause instanceof SkillError) return cause;
    const details = { path: this.#path };
    return new SkillError("IO_FAILED", `The audit log ${this.#path} cannot be written.`, {
      hint: "Make room on the disk, or name a file that you may write; nothing runs without its record.",
      details,
      cause,
    });
  }
}

/** Others may be given the log to read. */
async function openForAppending(path: string): Promise<AuditHandle> {
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT;
  return await openPrivateFile(path, flags, { title: "The audit log", mayOthersRead: true });
}

/** Whether a write was cut off, by a crash or by a full disk: the line is ended, and those after it are readable. */
async function endsInsideLine(handle: AuditHandle, size: number): Promise<boolean> {
  if (size === 0) return false;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] !== 0x0a;
}
