import { constants, type Stats } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { basename, resolve } from "node:path";
import type { JsonValue } from "./command.ts";
import { inputError, messageOf, ScriptError } from "./script-error.ts";
import type { ScriptIo } from "./script-io.ts";

/** A file that was read whole. */
export interface InputFile {
  /** As it was given; messages and answers show this. */
  readonly path: string;
  readonly absolute: string;
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface ReadBounds {
  readonly maxBytes?: number;
}

const MB = 1024 * 1024;
const DOCUMENT_BYTES = 100 * MB;
const TEXT_BYTES = 10 * MB;

/** Reads a document. Empty files, folders, pipes and files above the bound are refused with their reason. */
export async function readInput(path: string, io: ScriptIo, bounds: ReadBounds = {}): Promise<InputFile> {
  const absolute = resolve(io.cwd, path);
  const handle = await openFile(path, absolute);
  try {
    const maxBytes = bounds.maxBytes ?? DOCUMENT_BYTES;
    rejectUnfit(path, await handle.stat(), maxBytes);
    return { path, absolute, name: basename(absolute), bytes: await readAtMost(handle, path, maxBytes) };
  } finally {
    await handle.close();
  }
}

/** Reads UTF-8 text from a file, or from standard input when the path is `-`. */
export async function readText(path: string, io: ScriptIo, bounds: ReadBounds = {}): Promise<string> {
  const maxBytes = bounds.maxBytes ?? TEXT_BYTES;
  const bytes = path === "-" ? await io.readStdin(maxBytes) : (await readInput(path, io, { maxBytes })).bytes;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw inputError("NOT_TEXT", `${describe(path)} is not UTF-8 text.`, "Save it as UTF-8.", error);
  }
}

/** Reads JSON from a file, from standard input (`-`), or from the argument itself when it is an object or array. */
export async function readJson(source: string, io: ScriptIo, bounds: ReadBounds = {}): Promise<JsonValue> {
  const isInline = /^\s*[[{]/.test(source);
  const text = isInline ? source : await readText(source, io, bounds);
  try {
    // What JSON.parse returns is a JSON value by definition.
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    const subject = isInline ? "The argument" : describe(source);
    throw inputError("INVALID_JSON", `${subject} is not JSON: ${messageOf(error)}`, undefined, error);
  }
}

// Without O_NONBLOCK, opening a named pipe would wait for a writer.
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

async function openFile(path: string, absolute: string): Promise<FileHandle> {
  try {
    return await open(absolute, OPEN_FLAGS);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    if (code === "ENOENT" || code === "ENOTDIR") {
      throw new ScriptError("FILE_NOT_FOUND", `There is no file ${path}.`, {
        hint: "Relative paths start at the working directory.",
        cause: error,
      });
    }
    throw new ScriptError("FILE_UNREADABLE", `${path} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

function rejectUnfit(path: string, stats: Stats, maxBytes: number): void {
  if (!stats.isFile()) throw inputError("NOT_A_FILE", `${path} is not a regular file.`);
  if (stats.size === 0) throw inputError("FILE_EMPTY", `${path} is empty.`);
  if (stats.size > maxBytes) {
    throw inputError("FILE_TOO_LARGE", `${path} has ${stats.size} bytes; at most ${maxBytes} are read.`);
  }
}

/** A file may grow between its stat and its end. */
async function readAtMost(handle: FileHandle, path: string, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of handle.createReadStream({ autoClose: false, highWaterMark: MB })) {
    const bytes: Uint8Array = Buffer.from(chunk);
    length += bytes.length;
    if (length > maxBytes) throw inputError("FILE_TOO_LARGE", `${path} has more than ${maxBytes} bytes.`);
    chunks.push(bytes);
  }
  // A copy of its own: a view into Node's pool would show other files to libraries that look at the whole buffer.
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const bytes of chunks) {
    whole.set(bytes, offset);
    offset += bytes.length;
  }
  return whole;
}

function describe(path: string): string {
  return path === "-" ? "Standard input" : path;
}
