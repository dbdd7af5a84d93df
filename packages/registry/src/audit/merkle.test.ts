import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { appendLeaf, emptyFrontier, isWhole, rootOf } from "./merkle.ts";

/** The definition of RFC 6962: a tree is split at the largest power of two below its size. */
function rootByDefinition(entries: readonly string[]): Buffer {
  const hash = (...parts: readonly (string | Buffer)[]) => {
    const sum = createHash("sha256");
    for (const part of parts) sum.update(part);
    return sum.digest();
  };
  const [first] = entries;
  if (first === undefined) return hash();
  if (entries.length === 1) return hash(Buffer.of(0), first);
  let split = 1;
  while (split * 2 < entries.length) split *= 2;
  return hash(
    Buffer.of(1),
    rootByDefinition(entries.slice(0, split)),
    rootByDefinition(entries.slice(split)),
  );
}

test("the incremental root equals the root of the whole log [S-62]", () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { maxLength: 70 }), (entries) => {
      const frontier = entries.reduce(appendLeaf, emptyFrontier);
      expect(frontier.size).toBe(entries.length);
      expect(isWhole(frontier)).toBe(true);
      expect(rootOf(frontier)).toBe(rootByDefinition(entries).toString("hex"));
    }),
  );
});

test("rejects a frontier with too few or too many roots for its size [S-62]", () => {
  const frontier = ["a", "b", "c"].reduce(appendLeaf, emptyFrontier);
  expect(isWhole({ ...frontier, size: 4 })).toBe(false);
  expect(isWhole({ ...frontier, roots: frontier.roots.slice(1) })).toBe(false);
});
