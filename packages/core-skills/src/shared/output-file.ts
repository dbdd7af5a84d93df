import { randomBytes } from "node:crypto";
import { type Stats, statSync } from "node:fs";
import { mkdir, open, realpath, rename, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { OptionTable } from "./command.ts";
import type { InputFile } from "./input-file.ts";
import { messageOf, ScriptError, usageError } from "./script-error.ts";
import type { ScriptIo } from "./script-io.ts";

/** The options of a command that makes one file from zero or more inputs. */
export const outputOptions = {
  out: { type: "string", value: "file", help: "The output file; its folder is created when it is missing" },
  "dry-run": { type: "boolean", help: "Show what would be written, and write no file" },
} as const satisfies OptionTable;

/** The options of a command that changes one file. */
export const editOptions = {
  ...outputOptions,
  "in-place": { type: "boolean", help: "Replace the input file instead of --out" },
} as const satisfies OptionTable;

/** The options of a command that makes several files. */
export const folderOptions = {
  "out-dir": { type: "string", value: "folder", help: "The output folder; it is created when it is missing" },
  "dry-run": outputOptions["dry-run"],
} as const satisfies OptionTable;

export interface OutputRequest {
  readonly out?: string | undefined;
  readonly "in-place"?: boolean | undefined;
  readonly "dry-run"?: boolean | undefined;
}

/** Where a file came from. */
export type InputPlace = Pick<InputFile, "path" | "absolute">;

/** The place of an output, before it is written. */
export interface Output {
  readonly path: string;
  readonly absolute: string;
  readonly isDryRun: boolean;
}

/** What a write did, as it goes into the answer. */
export type Written = {
  readonly path: string;
  readonly bytes: number;
  readonly replaced: boolean;
  readonly dryRun: boolean;
};

/**
 * Decides where the result goes before any work is done. A file that was read is never written to, unless
 * `--in-place` asks for it, and then only the first.
 */
export async function chooseOutput(
  request: OutputRequest,
  inputs: readonly InputPlace[],
  io: ScriptIo,
): Promise<Output> {
  const isDryRun = request["dry-run"] ?? false;
  const isInPlace = request["in-place"] ?? false;
  const [first] = inputs;
  if (isInPlace === (request.out !== undefined)) {
    throw usageError("Specify the output: --out <file>, or --in-place if the command has it, not both.");
  }
  if (request.out === undefined) {
    if (first === undefined) throw usageError("There is no input to replace.", "Use --out <file>.");
    // Through a link, the file that it names is replaced, and the link stays.
    return { path: first.path, absolute: await realpath(first.absolute), isDryRun };
  }
  const output = { path: request.out, absolute: resolve(io.cwd, request.out), isDryRun };
  rejectInput(output, inputs);
  return output;
}

/** The place of a file of the given name in `--out-dir`. */
export function outputIn(
  request: { readonly "out-dir"?: string | undefined; readonly "dry-run"?: boolean | undefined },
  name: string,
  inputs: readonly InputPlace[],
  io: ScriptIo,
): Output {
  const folder = request["out-dir"];
  if (folder === undefined) throw usageError("Specify the output folder: --out-dir <folder>.");
  if (name !== basename(name) || name === "" || name.startsWith(".")) {
    throw new ScriptError("BAD_FILE_NAME", `${JSON.stringify(name.slice(0, 64))} is not a valid file name.`);
  }
  const path = join(folder, name);
  const output = { path, absolute: resolve(io.cwd, path), isDryRun: request["dry-run"] ?? false };
  rejectInput(output, inputs);
  return output;
}

/** Replaces the file atomically: readers see the old content or the new, never a part. */
export async function writeOutput(output: Output, bytes: Uint8Array): Promise<Written> {
  const existing = statSync(output.absolute, { throwIfNoEntry: false });
  if (existing?.isDirectory() === true) {
    throw new ScriptError("OUTPUT_IS_FOLDER", `${output.path} is a folder.`, {
      hint: "Name a file in the folder.",
    });
  }
  if (!output.isDryRun) await replaceFile(output, bytes, existing);
  return {
    path: output.path,
    bytes: bytes.length,
    replaced: existing !== undefined,
    dryRun: output.isDryRun,
  };
}

function rejectInput(output: Output, inputs: readonly InputPlace[]): void {
  const target = statSync(output.absolute, { throwIfNoEntry: false });
  if (target === undefined) return;
  for (const input of inputs) {
    const source = statSync(input.absolute, { throwIfNoEntry: false });
    if (source === undefined || source.dev !== target.dev || source.ino !== target.ino) continue;
    throw new ScriptError("OUTPUT_IS_INPUT", `${output.path} is also an input file.`, {
      hint: "Write to another file, or use --in-place if the command has it.",
    });
  }
}

async function replaceFile(output: Output, bytes: Uint8Array, existing: Stats | undefined): Promise<void> {
  const folder = dirname(output.absolute);
  const draft = join(folder, `.${basename(output.absolute)}.${randomBytes(6).toString("hex")}.tmp`);
  try {
    await mkdir(folder, { recursive: true });
    const handle = await open(draft, "wx", (existing?.mode ?? 0o666) & 0o777);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, output.absolute);
  } catch (error) {
    await rm(draft, { force: true });
    throw new ScriptError("WRITE_FAILED", `${output.path} cannot be written: ${messageOf(error)}`, {
      hint: "The skill folder is read-only. Write to the working directory.",
      cause: error,
    });
  }
}
