import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { openPrivateFile, syncFolder } from "@skillhold/core/secret";
import { SkillError } from "@skillhold/protocol/error";
import { ioFailure, systemCode } from "./io-failure.ts";

const MOST_BYTES = 1024 * 1024;

/** The text of a private file; undefined when it does not exist. `what` names its items in messages. */
export async function readPrivateList(path: string, what: string): Promise<string | undefined> {
  try {
    const handle = await openPrivateFile(path, constants.O_RDONLY, titleOf(what));
    try {
      const { size } = await handle.stat();
      if (size > MOST_BYTES)
        throw new SkillError("CONFIG_INVALID", `${path} is too large for a list of ${what}.`);
      return await handle.readFile("utf8");
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof SkillError && systemCode(error.cause) === "ENOENT") return undefined;
    throw error;
  }
}

/** Replaces the text atomically. */
export async function writePrivateList(path: string, what: string, text: string): Promise<void> {
  const partial = `${path}.${randomUUID()}`;
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
  try {
    const handle = await openPrivateFile(partial, flags, titleOf(what));
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(partial, path);
    await syncFolder(dirname(path));
  } catch (error) {
    await rm(partial, { force: true });
    throw error instanceof SkillError ? error : ioFailure(`${path} cannot be written`, error);
  }
}

function titleOf(what: string): { readonly title: string } {
  return { title: `The list of ${what}` };
}
