import { access, constants, mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { SkillError } from "@skillhold/protocol/error";
import { systemCode } from "../place/io-failure.ts";

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
