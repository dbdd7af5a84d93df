import { realpathSync } from "node:fs";
import { join, resolve } from "node:path";

/** Where a declared configuration file really lies, or undefined when it is not there or not to be reached. */
export function findConfig(
  path: string,
  { home, cwd }: { readonly home: string | undefined; readonly cwd: string },
): string | undefined {
  const isInHome = path.startsWith("~/");
  if (isInHome && !home) return undefined;
  try {
    return realpathSync(isInHome ? join(home ?? "", path.slice(2)) : resolve(cwd, path));
  } catch {
    // Both make the skill not ready.
    return undefined;
  }
}
