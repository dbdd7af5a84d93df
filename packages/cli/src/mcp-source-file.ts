import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { openPrivateFile, syncFolder } from "@skillhold/core";
import { readSourceList, type SourceSettings, writeSourceList } from "@skillhold/mcp/host";
import { SkillError } from "@skillhold/protocol/error";
import { dataFolder } from "./data-folder.ts";
import { ioFailure, systemCode } from "./io-failure.ts";
import { findSourcesFile } from "./mcp-source-path.ts";
import type { Io } from "./output.ts";

const TITLE = { title: "The list of sources" };
const MOST_BYTES = 1024 * 1024;

/** The sources that the user has added. It names programs to run: one that others could write is refused. */
export async function readSources(env: Io["env"]): Promise<readonly SourceSettings[]> {
  const path = findSourcesFile(env);
  if (path === undefined) return [];
  const text = await readText(path);
  return text === undefined ? [] : readSourceList(text, path);
}

/** Puts another list in place of the one that is there; a crash leaves one of the two. */
export async function writeSources(sources: readonly SourceSettings[], env: Io["env"]): Promise<void> {
  const path = findSourcesFile(env) ?? dataFolder(env);
  const partial = `${path}.${randomUUID()}`;
  try {
    const handle = await openPrivateFile(
      partial,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL,
      TITLE,
    );
    try {
      await handle.writeFile(writeSourceList(sources));
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

async function readText(path: string): Promise<string | undefined> {
  try {
    const handle = await openPrivateFile(path, constants.O_RDONLY, TITLE);
    try {
      const { size } = await handle.stat();
      if (size > MOST_BYTES)
        throw new SkillError("CONFIG_INVALID", `${path} is larger than any list of sources.`);
      return await handle.readFile("utf8");
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof SkillError && systemCode(error.cause) === "ENOENT") return undefined;
    throw error;
  }
}
