import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder for the tests of one file, gone when they are done: `makeTempFolder(afterAll)`. */
export function makeTempFolder(afterAll: (work: () => void) => void): string {
  const folder = mkdtempSync(join(tmpdir(), "core-skills-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
