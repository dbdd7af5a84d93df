import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** Installs the pinned clients into a cache, once for each lock file, and returns its folder. */
export function installClients(): string {
  const lock = readFileSync(join(import.meta.dirname, "package-lock.json"));
  const key = createHash("sha256").update(lock).digest("hex").slice(0, 16);
  const cache = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "skillhold-test-clients");
  const folder = join(cache, key);
  if (existsSync(folder)) return folder;
  const fresh = `${folder}.new`;
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { recursive: true });
  for (const file of ["package.json", "package-lock.json"])
    copyFileSync(join(import.meta.dirname, file), join(fresh, file));
  // The programs are in packages for each platform; install scripts only copy them.
  execFileSync("npm", ["ci", "--no-audit", "--no-fund", "--ignore-scripts"], { cwd: fresh, stdio: "pipe" });
  renameSync(fresh, folder);
  return folder;
}
