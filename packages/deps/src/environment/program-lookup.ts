import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { PROGRAM_PATH } from "@skillhold/sandbox/backend";

/** What of the host's disk a sandbox shows by itself. */
const SHOWN = /^\/(?:usr|bin|sbin|lib|lib64|lib32|libx32)(?:\/|$)/;

/** Where a program lies on a path of folders, or undefined. It is looked for and never started. */
export async function findProgram(name: string, path: string): Promise<string | undefined> {
  if (!/^[A-Za-z0-9_][A-Za-z0-9+_.-]*$/.test(name)) return undefined;
  // A relative entry would be whatever folder we are in.
  for (const folder of path.split(":").filter(isAbsolute)) {
    const program = join(folder, name);
    if (await isProgram(program)) return program;
  }
  return undefined;
}

/** The same for a program in the sandbox: a link that leads to where it cannot see is no program there. */
export async function findSandboxProgram(name: string, path = PROGRAM_PATH): Promise<string | undefined> {
  for (const folder of path.split(":")) {
    const program = await findProgram(name, folder);
    if (program !== undefined && SHOWN.test(await realpath(program))) return program;
  }
  return undefined;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    // Not there, or not to be run.
    return false;
  }
}
