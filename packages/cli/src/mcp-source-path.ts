import { join } from "node:path";
import { SkillError } from "@skillhold/protocol/error";
import { dataFolder } from "./data-folder.ts";
import type { Io } from "./output.ts";

/** The file that lists sources; undefined where there is no folder for a user's own things. */
export function findSourcesFile(env: Io["env"]): string | undefined {
  try {
    return join(dataFolder(env), "sources.json");
  } catch (error) {
    if (error instanceof SkillError) return undefined;
    throw error;
  }
}

/** Where files of servers are kept: beside the user's other data, where nobody looks for skills. */
export function mcpCacheFolder(env: Io["env"]): string {
  return join(dataFolder(env), "mcp");
}
