import { expect, test } from "vitest";
import type { RegistryReader } from "../record/registry-store.ts";
import { LogTree } from "./log-tree.ts";
import { MerkleTree } from "./merkle-tree.ts";

test("reads each entry once when several proofs are asked for at a time [S-47]", async () => {
  const hashes = Array.from({ length: 2500 }, (_, at) => `entry ${at}`);
  const expected = new MerkleTree();
  for (const hash of hashes) expected.append(hash);
  const starts: number[] = [];
  const auditAfter = async (seq: number, limit: number) => {
    starts.push(seq);
    return hashes.slice(seq, seq + limit).map((hash) => ({ hash }));
  };
  // The tree reads only the hashes.
  const log = new LogTree({ auditAfter } as unknown as Pick<RegistryReader, "auditAfter">);
  const [small, large] = await Promise.all([log.upTo(10), log.upTo(2500), log.upTo(1500)]);
  expect(starts).toEqual([0, 1000, 2000]);
  expect(small.root(10)).toBe(expected.root(10));
  expect(large.root(2500)).toBe(expected.root(2500));
  expect(large.size).toBe(2500);
});
