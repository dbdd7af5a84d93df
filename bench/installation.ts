import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");

/** The launcher of this clone, which runs the sources. */
export const workspaceLauncher = join(root, "packages/skillhold/bin/skillhold.js");

/** Builds the distribution, unpacks it to a temporary folder for the time of one call, and passes its launcher. */
export async function withInstallation<T>(use: (launcher: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "skillhold-installation-"));
  try {
    const script = join(root, "scripts/dist.mjs");
    execFileSync(process.execPath, [script, "--out", folder], { stdio: ["ignore", "ignore", "inherit"] });
    const [archive = ""] = readdirSync(folder);
    execFileSync("tar", ["-xzf", join(folder, archive), "-C", folder]);
    return await use(join(folder, "package/bin/skillhold.js"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
