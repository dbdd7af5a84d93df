import { execFileSync } from "node:child_process";

const NOBODY = 65_534;

/** Does something without the rights of root, to whom nothing is closed; the folder is given away for it. */
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
