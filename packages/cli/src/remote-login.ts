import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { openPrivateFile, syncFolder } from "@skillhold/core";
import { type GatewayLogin, readLoginList, writeLoginList } from "@skillhold/core/remote";
import { SkillError } from "@skillhold/protocol/error";
import { dataFolder } from "./data-folder.ts";
import { ioFailure, systemCode } from "./io-failure.ts";
import { present } from "./option.ts";
import type { Io } from "./output.ts";

const TITLE = { title: "The list of gateways" };
const MOST_BYTES = 1024 * 1024;

/** The gateways that the user is logged in at. Whoever reads the file is that user there: one that others can read is refused. */
export async function readLogins(env: Io["env"]): Promise<readonly GatewayLogin[]> {
  const path = fileOf(env);
  const text = await readText(path);
  return text === undefined ? [] : readLoginList(text, path);
}

/** Puts a login in place of the one at the same address. */
export async function keepLogin({ url, token, isInsecure }: GatewayLogin, env: Io["env"]): Promise<void> {
  const others = (await readLogins(env)).filter((each) => each.url !== url);
  await writeLogins([...others, { url, token, ...present({ isInsecure }) }], env);
}

/** Returns whether there was one. */
export async function dropLogin(url: string, env: Io["env"]): Promise<boolean> {
  const all = await readLogins(env);
  const others = all.filter((each) => each.url !== url);
  if (others.length < all.length) await writeLogins(others, env);
  return others.length < all.length;
}

function fileOf(env: Io["env"]): string {
  return join(dataFolder(env), "gateways.json");
}

/** A crash leaves the list before, or this one. */
async function writeLogins(gateways: readonly GatewayLogin[], env: Io["env"]): Promise<void> {
  const path = fileOf(env);
  const partial = `${path}.${randomUUID()}`;
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
  try {
    const handle = await openPrivateFile(partial, flags, TITLE);
    try {
      await handle.writeFile(writeLoginList(gateways));
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
        throw new SkillError("CONFIG_INVALID", `${path} is larger than any list of gateways.`);
      return await handle.readFile("utf8");
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (error instanceof SkillError && systemCode(error.cause) === "ENOENT") return undefined;
    throw error;
  }
}
