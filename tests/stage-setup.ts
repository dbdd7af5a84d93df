import { mkdtempSync, readdirSync, rmSync } from "node:fs";
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
  removeLeftovers(parent);
  folder = mkdtempSync(join(parent, `skillhold-test-${process.pid}-`));
  // Workers inherit this process's variables.
  process.env["SKILLHOLD_STAGE"] = folder;
}

export function teardown(): void {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
}

/** Removes the folders of runs that were killed: their name has the id of a process that no longer lives. */
export function removeLeftovers(parent: string): void {
  for (const name of readdirSync(parent)) {
    const [, pid] = /^skillhold-test-(\d+)-/.exec(name) ?? [];
    if (pid === undefined || isAlive(Number(pid))) continue;
    try {
      rmSync(join(parent, name), { recursive: true, force: true });
    } catch (error) {
      // It may belong to another user, whose next run removes it.
      process.stderr.write(`${name} of a killed test run cannot be removed: ${String(error)}\n`);
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's process may not be signaled.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
