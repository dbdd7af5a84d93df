import type { Stats } from "node:fs";

/** Changes whenever the file may have; another file of the same name has another one. */
export function stampOf({ ino, size, mtimeMs, ctimeMs, mode }: Stats): string {
  return `${ino}:${size}:${mtimeMs}:${ctimeMs}:${mode}`;
}
