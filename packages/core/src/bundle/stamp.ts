import type { Stats } from "node:fs";

/** What a stamp is made of. */
export type Stamped = Pick<Stats, "dev" | "ino" | "size" | "mtimeMs" | "ctimeMs" | "mode">;

/** Changes whenever the file may have; another file of the same name, on whichever device, has another one. */
export function stampOf({ dev, ino, size, mtimeMs, ctimeMs, mode }: Stamped): string {
  return `${dev}:${ino}:${size}:${mtimeMs}:${ctimeMs}:${mode}`;
}
