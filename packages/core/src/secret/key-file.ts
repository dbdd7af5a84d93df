import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { link, lstat, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { SkillError } from "@skillhold/protocol";
import { errorCodeOf } from "../bundle/contain.ts";
import { openPrivateFile, syncFolder } from "./private-file.ts";
import { KEY_BYTES } from "./seal.ts";
import type { KeySource } from "./secret.ts";

const TITLE = { title: "The key file" };

/**
 * The key in a file, which is made when it is not there. It appears under its name complete and never twice, so that
 * processes that make it at the same time all get the same key.
 */
export function keyFile(path: string): KeySource {
  return {
    key: async () => {
      if (!(await isThere(path))) await createKey(path);
      return await readKey(path);
    },
  };
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (errorCodeOf(error) === "ENOENT") return false;
    throw failed(path, "cannot be read", error);
  }
}

/** Written under another name first; `link` then fails when there is a key already, where a rename would replace it. */
async function createKey(path: string): Promise<void> {
  const draft = `${path}.${randomBytes(8).toString("hex")}.tmp`;
  const handle = await openPrivateFile(
    draft,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL,
    TITLE,
  );
  try {
    await handle.writeFile(randomBytes(KEY_BYTES));
    await handle.sync();
    await link(draft, path);
    await syncFolder(dirname(path));
  } catch (error) {
    if (errorCodeOf(error) !== "EEXIST") throw failed(path, "cannot be made", error);
  } finally {
    await handle.close();
    await rm(draft, { force: true });
  }
}

async function readKey(path: string): Promise<Uint8Array> {
  const handle = await openPrivateFile(path, constants.O_RDONLY, TITLE);
  try {
    const { size } = await handle.stat();
    if (size === KEY_BYTES) return await handle.readFile();
    throw new SkillError(
      "CONFIG_INVALID",
      `The key file ${path} has ${size} bytes instead of ${KEY_BYTES}.`,
      {
        hint: "Restore it from a backup; or move it away, and set the secrets again.",
        details: { path },
      },
    );
  } finally {
    await handle.close();
  }
}

function failed(path: string, problem: string, cause: unknown): SkillError {
  return new SkillError("IO_FAILED", `The key file ${path} ${problem}.`, { details: { path }, cause });
}
