import { join } from "node:path";
import { DATA_VARIABLE, dataFolder } from "./data-folder.ts";
import type { Io } from "./output.ts";

/** Where indexes are kept between starts; undefined when the user has no folder for such things. */
export function cacheFile(env: Io["env"], platform: string = process.platform): string | undefined {
  if (env[DATA_VARIABLE]) return join(dataFolder(env), "cache", "index.db");
  const home = env["HOME"];
  const folder =
    platform === "win32"
      ? env["LOCALAPPDATA"]
      : env["XDG_CACHE_HOME"] || (home ? join(home, ".cache") : undefined);
  return folder ? join(folder, "skillhold", "index.db") : undefined;
}
