import { randomUUID } from "node:crypto";
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { ioFailure } from "@skillhold/host/place";
import { SkillError } from "@skillhold/protocol/error";

/** A settings file of another program. Writes are atomic, and a backup is kept beside the file. */
export class ConfigFile {
  readonly path: string;
  readonly #mode: number;

  /** `mode` applies to a new file. */
  constructor(path: string, mode: number) {
    // Settings are often links into a dotfiles folder; the link must stay.
    this.path = existsSync(path) ? realpathSync(path) : path;
    this.#mode = mode;
  }

  get backup(): string {
    return `${this.path}.skillhold-backup`;
  }

  /** Undefined when the file does not exist. */
  read(): string | undefined {
    return readText(this.path);
  }

  readBackup(): string | undefined {
    return readText(this.backup);
  }

  write(text: string): void {
    this.#writeTo(this.path, text);
  }

  keep(text: string): void {
    this.#writeTo(this.backup, text);
  }

  remove(): void {
    removeFile(this.path);
  }

  removeBackup(): void {
    removeFile(this.backup);
  }

  #writeTo(path: string, text: string): void {
    const partial = `${path}.${randomUUID()}.partial`;
    try {
      mkdirSync(dirname(path), { recursive: true });
      const mode = existsSync(this.path) ? statSync(this.path).mode & 0o777 : this.#mode;
      writeDurably(partial, text, mode);
      renameSync(partial, path);
    } catch (error) {
      rmSync(partial, { force: true });
      throw ioFailure(`${path} cannot be written`, error);
    }
  }
}

/** No settings file is larger. */
const MAX_BYTES = 64 * 1024 * 1024;

function readText(path: string): string | undefined {
  try {
    if (!existsSync(path)) return undefined;
    if (statSync(path).size > MAX_BYTES)
      throw new SkillError("LIMIT_EXCEEDED", `${path} is too large for a settings file.`);
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(path));
  } catch (error) {
    if (error instanceof SkillError) throw error;
    throw ioFailure(`${path} cannot be read`, error);
  }
}

function writeDurably(path: string, text: string, mode: number): void {
  const fd = openSync(path, "wx", mode);
  try {
    writeFileSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  // The process umask may have removed permissions.
  chmodSync(path, mode);
}

function removeFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    throw ioFailure(`${path} cannot be removed`, error);
  }
}
