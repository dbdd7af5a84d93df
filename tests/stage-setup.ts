import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

let folder: string | undefined;

/**
 * Gives this test run its own stage folder, because other checkouts may run tests at the same time. Vitest calls this once
 * for each project.
 */
export function setup(): void {
  if (process.env["SKILLHOLD_STAGE"] !== undefined) return;
  // Runs that root starts use other users, to whom root's temporary folder may be closed.
  const parent = process.platform === "linux" && process.getuid?.() === 0 ? "/var/tmp" : tmpdir();
  folder = mkdtempSync(join(parent, "skillhold-test-"));
  // Workers inherit this process's variables.
  process.env["SKILLHOLD_STAGE"] = folder;
}

export function teardown(): void {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}
