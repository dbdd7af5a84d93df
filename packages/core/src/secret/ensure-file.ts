import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { link, lstat, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { SkillError } from "@skillhold/protocol/error";
import { errorCodeOf } from "../bundle/contain.ts";
import { openPrivateFile, type PrivateFileOptions, syncFolder } from "./private-file.ts";

/**
 * Creates a private file if it is missing. It appears atomically and once, so concurrent processes all see the same
 * content.
 */
export async function ensurePrivateFile(
  path: string,
  make: () => string | Uint8Array,
  options: PrivateFileOptions,
): Promise<void> {
  if (!(await isThere(path, options))) await create(path, make(), options);
}

async function isThere(path: string, options: PrivateFileOptions): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (errorCodeOf(error) === "ENOENT") return false;
    throw failed(path, options, "cannot be read", error);
  }
}

/** Written under a temporary name first: `link` fails if the target exists, where a rename would replace it. */
async function create(
  path: string,
  content: string | Uint8Array,
  options: PrivateFileOptions,
): Promise<void> {
  const draft = `${path}.${randomBytes(8).toString("hex")}.tmp`;
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
  const handle = await openPrivateFile(draft, flags, options);
  try {
    await handle.writeFile(content);
    await handle.sync();
    await link(draft, path);
    await syncFolder(dirname(path));
  } catch (error) {
    if (errorCodeOf(error) !== "EEXIST") throw failed(path, options, "cannot be made", error);
  } finally {
    await handle.close();
    await rm(draft, { force: true });
  }
}

function failed(path: string, { title }: PrivateFileOptions, problem: string, cause: unknown): SkillError {
  return new SkillError("IO_FAILED", `${title} ${path} ${problem}.`, { details: { path }, cause });
}
