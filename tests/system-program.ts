import { accessSync, constants } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** The unpacked packages of servers, which the suite uses without installing them. */
export const unpackedFolder = join(
  process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"),
  "skillhold-test-programs",
);

/** Chromium without its windows uses a quarter less processor time, and has the same engine. */
export const browserPrograms: readonly string[] = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // Not there, or not to be run.
    return false;
  }
}

/** Finds an installed or unpacked program, with the variables that it needs. */
export function findProgram(
  path: string,
): { readonly path: string; readonly env: NodeJS.ProcessEnv } | undefined {
  if (isProgram(path)) return { path, env: {} };
  const unpacked = join(unpackedFolder, path);
  if (!isProgram(unpacked)) return undefined;
  const machine = { x64: "x86_64", arm64: "aarch64" }[process.arch as string] ?? process.arch;
  const folders = ["usr/lib", "lib"].map((each) => join(unpackedFolder, each, `${machine}-linux-gnu`));
  return { path: unpacked, env: { LD_LIBRARY_PATH: folders.join(":") } };
}
