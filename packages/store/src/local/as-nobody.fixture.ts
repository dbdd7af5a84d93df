import { execFileSync } from "node:child_process";

const NOBODY = 65_534;

/**
 * Runs work without root privileges, because root ignores file modes; the folder is given to another user.
 */
export async function asNobody(folder: string, work: () => Promise<void>): Promise<void> {
  if (process.geteuid?.() !== 0) return await work();
  execFileSync("chown", ["-R", String(NOBODY), folder]);
  process.seteuid?.(NOBODY);
  try {
    await work();
  } finally {
    process.seteuid?.(0);
  }
}
