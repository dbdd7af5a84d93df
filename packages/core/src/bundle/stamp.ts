import type { Stats } from "node:fs";

/** The stats in a stamp. */
export type Stamped = Pick<Stats, "dev" | "ino" | "size" | "mtimeMs" | "ctimeMs" | "mode">;

/** Changes whenever the file may have changed. Different files have different stamps, on any device. */
export function stampOf({ dev, ino, size, mtimeMs, ctimeMs, mode }: Stamped): string {
  return `${dev}:${ino}:${size}:${mtimeMs}:${ctimeMs}:${mode}`;
}
