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

/** Where proposals are written as Markdown files, and imported from. */
export function proposalFolder(env: Env): string {
  return join(dataFolder(env), "proposals");
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

/** Creates the private data folder of a gateway; throws when it cannot be written. */
export async function makeDataFolder(folder: string): Promise<void> {
  try {
    await make(folder);
    // The dot distinguishes a file from an inaccessible folder.
    await access(`${folder}/.`, constants.W_OK | constants.X_OK);
  } catch (error) {
    const code = systemCode(error) ?? "unknown failure";
    const reason = code === "ENOTDIR" ? "a file is in its place" : code;
    throw new SkillError("IO_FAILED", `${folder} cannot be created or written to (${reason}).`, {
      hint: "Make the folder writable, or name another one with --data.",
      cause: error,
    });
  }
}

/** Creates one level at a time, because Node's recursive mkdir can loop forever where no folder can be created. */
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

/** Creates a private folder for temporary files and removes leftovers of killed processes. */
export async function openTemporary(folder: string): Promise<string> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const name of await readdir(folder)) await removeOld(join(folder, name));
    return folder;
  } catch (error) {
    throw ioFailure(`${folder} cannot be created`, error);
  }
}

/** Newer files may belong to another running gateway. */
async function removeOld(path: string): Promise<void> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats !== undefined && Date.now() - stats.mtimeMs > DAY_MS)
    await rm(path, { recursive: true, force: true });
}
