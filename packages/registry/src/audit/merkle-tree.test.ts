import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { witnessLog } from "./log-witness.ts";
import { appendLeaf, emptyFrontier, rootOf } from "./merkle.ts";
import { isConsistent, isIncluded, MerkleTree } from "./merkle-tree.ts";

const MOST = 70;
const tree = new MerkleTree();
for (let at = 0; at < MOST; at += 1) tree.append(`entry ${at}`);

describe("proofs of the log", () => {
  test("have the roots of the frontier that stores keep [S-47]", () => {
    let frontier = emptyFrontier;
    expect(tree.root(0)).toBe(rootOf(frontier));
    for (let at = 0; at < MOST; at += 1) {
      frontier = appendLeaf(frontier, `entry ${at}`);
      expect(tree.root(at + 1)).toBe(rootOf(frontier));
    }
  });

  test("show every entry in every size, and no other [S-47]", () => {
    for (let size = 1; size <= MOST; size += 1)
      for (let index = 0; index < size; index += 1) {
        const proof = { leaf: tree.leaf(index), index, size, path: tree.inclusion(index, size) };
        expect(isIncluded(proof, tree.root(size))).toBe(true);
        expect(isIncluded({ ...proof, leaf: tree.leaf((index + 1) % MOST) }, tree.root(size))).toBe(false);
        if (size < MOST) expect(isIncluded(proof, tree.root(size + 1))).toBe(false);
      }
  });

  test("show that each size grew into each later one [S-47]", () => {
    for (let to = 1; to <= MOST; to += 1)
      for (let from = 1; from <= to; from += 1) {
        const proof = { from, to, path: tree.consistency(from, to) };
        expect(isConsistent(proof, tree.root(from), tree.root(to))).toBe(true);
        if (from < to)
          expect(isConsistent(proof, tree.root(from === 1 ? 2 : from - 1), tree.root(to))).toBe(false);
      }
  });

  test("are refused when they are hostile [S-47]", () => {
    const hash = fc.oneof(
      fc.constant(tree.root(5)),
      fc.string({ maxLength: 70 }),
      fc.constant("0".repeat(64)),
    );
    fc.assert(
      fc.property(
        fc.integer({ min: -2, max: 80 }),
        fc.integer({ min: -2, max: 80 }),
        fc.array(hash, { maxLength: 12 }),
        (from, to, path) => {
          const isSame = from === to && path.length === 0;
          expect(isConsistent({ from, to, path }, tree.root(5), tree.root(9))).toBe(false);
          expect(isIncluded({ leaf: "0".repeat(64), index: from, size: to, path }, tree.root(9))).toBe(false);
          expect(
            isSame && from > 0 ? isConsistent({ from, to, path }, tree.root(5), tree.root(5)) : true,
          ).toBe(true);
        },
      ),
    );
  });

  test("keep a client from a log that shrank, forked or is another one [S-47]", async () => {
    const seen = (size: number, log = tree) => ({ origin: "log", size, root: log.root(size) });
    const fork = new MerkleTree();
    for (let at = 0; at < MOST; at += 1) fork.append(at === 3 ? "forged" : `entry ${at}`);
    const prove = (log: MerkleTree) => async (from: number, to: number) => log.consistency(from, to);
    expect(await witnessLog(seen(7), seen(40), prove(tree))).toEqual(seen(40));
    const refused = { code: "INTEGRITY_FAILED" };
    await expect(witnessLog(seen(7), seen(6), prove(tree))).rejects.toMatchObject(refused);
    await expect(witnessLog(seen(7), seen(40, fork), prove(fork))).rejects.toMatchObject(refused);
    await expect(witnessLog(seen(7), seen(7, fork), prove(fork))).rejects.toMatchObject(refused);
    await expect(witnessLog(seen(7), { ...seen(40), origin: "other" }, prove(tree))).rejects.toMatchObject(
      refused,
    );
  });
});
