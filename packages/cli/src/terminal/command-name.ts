import { existsSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

export interface CommandPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The path of the running launcher. */
  readonly launcher: string;
  readonly platform: NodeJS.Platform;
}

/** Folders that npm adds to PATH for its own children; a user's shell does not have them. */
const NPM_FOLDER = /[\\/]node_modules[\\/]\.bin[\\/]?$|[\\/]_npx[\\/]/;

/**
 * The command that starts this program where the user is: `skillhold` if the shell finds this launcher, `npx skillhold`
 * below the folder of an installation or a clone, and otherwise the launcher itself.
 */
export function findCommandName({ env, cwd, launcher, platform }: CommandPlace): string {
  const own = realPath(launcher);
  const name = platform === "win32" ? "skillhold.cmd" : "skillhold";
  // A script for Windows is not a link, so its presence has to do.
  const isOwn = (path: string) =>
    platform === "win32" ? existsSync(path) : own !== undefined && realPath(path) === own;
  const folders = (env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  if (folders.some((folder) => !NPM_FOLDER.test(folder) && isOwn(join(folder, name)))) return "skillhold";
  if (foldersAbove(cwd).some((folder) => isOwn(join(folder, "node_modules", ".bin", name))))
    return "npx skillhold";
  // The user started it with npx from a cache.
  if (env["npm_command"] === "exec") return "npx skillhold";
  return `node ${/^[\w./~@+:\\-]+$/.test(launcher) ? launcher : JSON.stringify(launcher)}`;
}

function foldersAbove(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...foldersAbove(parent)];
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    // The path does not exist.
    return undefined;
  }
}
