import { type FileHandle, open } from "node:fs/promises";
import { SkillError } from "@skillhold/protocol/error";

/** Opens the file that a commit wrote to. */
export type OpenLog = () => Promise<Pick<FileHandle, "datasync" | "close">>;

/**
 * Makes the commits of an SQLite file durable, in another thread. One sync covers all commits before its start. After a failed
 * sync the kernel may have dropped the changes, so no later transaction is accepted.
 */
export class WriteAheadLog {
  readonly #path: string;
  readonly #open: OpenLog;
  #handle: ReturnType<OpenLog> | undefined;
  #running: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #failure: SkillError | undefined;

  constructor(path: string, openLog: OpenLog = () => open(`${path}-wal`, "r+")) {
    this.#path = path;
    this.#open = openLog;
  }

  /** Resolves when all commits before this call are durable. */
  sync(): Promise<void> {
    this.#next ??= this.#running.then(() => {
      this.#running = this.#sync();
      this.#next = undefined;
      return this.#running;
    });
    return this.#next;
  }

  rejectFailed(): void {
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Waits for running syncs. */
  async close(): Promise<void> {
    await (this.#next ?? this.#running).catch(() => {});
    await this.#handle?.then((handle) => handle.close()).catch(() => {});
  }

  async #sync(): Promise<void> {
    this.rejectFailed();
    try {
      this.#handle ??= this.#open();
      await (await this.#handle).datasync();
    } catch (error) {
      this.#failure = new SkillError(
        "STORE_FAILED",
        `The registry in ${this.#path} could not be synced to disk.`,
        {
          hint: "Check the disk. Then open the registry again.",
          details: { path: this.#path },
          cause: error,
        },
      );
      throw this.#failure;
    }
  }
}
