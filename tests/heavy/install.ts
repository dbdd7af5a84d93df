import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/**
 * Installs packages of others into a cache of their own, outside of the workspace, and gives its `node_modules`. A
 * second call with the same versions uses the cache.
 */
export function installOnce(packages: Readonly<Record<string, string>>): string {
  const key = createHash("sha256").update(JSON.stringify(packages)).digest("hex").slice(0, 16);
  const cache = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "skillhold-test-heavy");
  const folder = join(cache, key);
  if (!existsSync(folder)) {
    const fresh = `${folder}.new`;
    rmSync(fresh, { recursive: true, force: true });
    mkdirSync(fresh, { recursive: true });
    writeFileSync(join(fresh, "package.json"), JSON.stringify({ private: true, dependencies: packages }));
    execFileSync("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts"], {
      cwd: fresh,
      stdio: "pipe",
    });
    renameSync(fresh, folder);
  }
  return join(folder, "node_modules");
}
