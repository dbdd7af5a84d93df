import { statSync } from "node:fs";
import { expect, test } from "vitest";
import { type Stamped, stampOf } from "./stamp.ts";

const fields: readonly (keyof Stamped)[] = ["dev", "ino", "size", "mtimeMs", "ctimeMs", "mode"];

test.each(fields)("a file with a different %s has a different stamp [S-17]", (field) => {
  const { dev, ino, size, mtimeMs, ctimeMs, mode } = statSync(import.meta.filename);
  const stats = { dev, ino, size, mtimeMs, ctimeMs, mode };
  expect(stampOf({ ...stats })).toBe(stampOf(stats));
  expect(stampOf({ ...stats, [field]: stats[field] + 1 })).not.toBe(stampOf(stats));
});
