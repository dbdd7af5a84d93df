import { access, constants, lstat, mkdir, readdir, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { SkillError } from "@skillhold/protocol/error";
import { ioFailure, systemCode } from "./io-failure.ts";
import type { Env } from "./machine.ts";

/** Names the data folder itself, for example that of a gateway. */
export const DATA_VARIABLE = "SKILLHOLD_DATA";

/** The folder of approvals, secrets, records and the store. */
export function dataFolder(env: Env, platform: string = process.platform): string {
  const named = env[DATA_VARIABLE];
  if (named) return resolve(named);
  const folder = userDataFolder(env, platform);
  if (folder !== undefined) return join(folder, "skillhold");
  throw new SkillError("CONFIG_INVALID", "No folder for approvals, secrets and records was found.", {
    hint: `Set HOME, XDG_DATA_HOME or ${DATA_VARIABLE} to a folder of your own.`,
  });
}

/** The file of the index cache; undefined when the user has no cache folder. */
export function cacheFile(env: Env, platform: string = process.platform): string | undefined {
  if (env[DATA_VARIABLE]) return join(dataFolder(env), "cache", "index.db");
  const home = env["HOME"];
  const folder =
    platform === "win32"
      ? env["LOCALAPPDATA"]
      : env["XDG_CACHE_HOME"] || (home ? join(home, ".cache") : undefined);
  return folder ? join(folder, "skillhold", "index.db") : undefined;
}

/** The file that lists MCP sources; undefined where the user has no data folder. */
export function findSourcesFile(env: Env): string | undefined {
  try {
    return join(dataFolder(env), "sources.json");
  } catch (error) {
    if (error instanceof SkillError) return undefined;
    throw error;
  }
}

/** Where files of MCP servers are cached: in the data folder, which no source discovers. */
export function mcpCacheFolder(env: Env): string {
  return join(dataFolder(env), "mcp");
}

function userDataFolder(env: Env, platform: string): string | undefined {
  const home = env["HOME"];
  if (platform === "win32") return env["LOCALAPPDATA"] || undefined;
  if (env["XDG_DATA_HOME"]) return env["XDG_DATA_HOME"];
  if (!home) return undefined;
  return platform === "darwin" ? join(home, "Library", "Application Support") : join(home, ".local", "share");
}

/** Makes the folder that a gateway keeps everything in, the user's alone, and refuses one that cannot be written to. */
export async function makeDataFolder(folder: string): Promise<void> {
  try {
    await make(folder);
    // With the dot a file is told from a folder that is closed.
    await access(`${folder}/.`, constants.W_OK | constants.X_OK);
  } catch (error) {
    const code = systemCode(error) ?? "unknown failure";
    const reason = code === "ENOTDIR" ? "a file is in its place" : code;
    throw new SkillError("IO_FAILED", `${folder} cannot be created or written to (${reason}).`, {
      hint: "Let it be written to, or name another folder with --data.",
      cause: error,
    });
  }
}

/** Step by step: where nothing can be made, Node tries for ever to make a folder with all that is above it. */
async function make(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    const code = systemCode(error);
    if (code === "EEXIST") return;
    if (code !== "ENOENT" || dirname(folder) === folder) throw error;
    await make(dirname(folder));
    await mkdir(folder, { mode: 0o700 });
  }
}

const DAY_MS = 86_400_000;

/** Makes a folder for what is there for moments, the user's alone. What someone who was killed left there is taken away. */
export async function openTemporary(folder: string): Promise<string> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const name of await readdir(folder)) await removeOld(join(folder, name));
    return folder;
  } catch (error) {
    throw ioFailure(`${folder} cannot be made`, error);
  }
}

/** Another gateway may be using what is not old. */
async function removeOld(path: string): Promise<void> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats !== undefined && Date.now() - stats.mtimeMs > DAY_MS)
    await rm(path, { recursive: true, force: true });
}
