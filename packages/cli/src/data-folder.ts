import { join, resolve } from "node:path";
import { SkillError } from "@skillhold/protocol/error";
import type { Io } from "./output.ts";

/** Where approvals, secrets and records lie. Nothing that needs one of them is done without. */
export function dataFolder(env: Io["env"], platform: string = process.platform): string {
  const named = env[DATA_VARIABLE];
  if (named) return resolve(named);
  const folder = userFolder(env, platform);
  if (folder !== undefined) return join(folder, "skillhold");
  throw new SkillError("CONFIG_INVALID", "There is no folder for approvals, secrets and records.", {
    hint: "Set HOME or XDG_DATA_HOME to a folder of your own.",
  });
}

/** Names the very folder, for a gateway that has one of its own and those who look after it. */
export const DATA_VARIABLE = "SKILLHOLD_DATA";

function userFolder(env: Io["env"], platform: string): string | undefined {
  const home = env["HOME"];
  if (platform === "win32") return env["LOCALAPPDATA"] || undefined;
  if (env["XDG_DATA_HOME"]) return env["XDG_DATA_HOME"];
  if (!home) return undefined;
  return platform === "darwin" ? join(home, "Library", "Application Support") : join(home, ".local", "share");
}
