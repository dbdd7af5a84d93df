import { join, resolve } from "node:path";
import { SkillError } from "@skillhold/protocol/error";
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
