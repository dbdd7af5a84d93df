import { Digest } from "@skillhold/protocol";
import { expect, test } from "vitest";
import { type FileCacheBounds, SmallFileCache } from "./content-cache.ts";

/** A cache of files of one size, named by numbers, that counts reads. */
function open(bounds: Partial<FileCacheBounds> = {}) {
  const read: number[] = [];
  const cache = new SmallFileCache(bounds);
  const get = async (name: number, size: number) => {
    const digest = Digest.parse(`sha256:${String(name).padStart(64, "0")}`);
    const bytes = await cache.get(digest, async () => {
      read.push(name);
      return new Uint8Array(size).fill(name);
    });
    expect([bytes.length, bytes[0]]).toEqual([size, name]);
  };
  return { read, get };
}

test("caches a small file and not a large one [S-55]", async () => {
  const { read, get } = open({ largest: 100 });
  await get(1, 100);
  await get(2, 101);
  await get(1, 100);
  await get(2, 101);
  expect(read).toEqual([1, 2, 2]);
});

test("limits the bytes and evicts unused files first [S-55]", async () => {
  const { read, get } = open({ bytes: 4000, largest: 1000 });
  for (const name of [1, 2, 3]) await get(name, 1000);
  await get(1, 1000);
  await get(4, 1000);
  await get(1, 1000);
  await get(3, 1000);
  await get(4, 1000);
  expect(read).toEqual([1, 2, 3, 4]);
  await get(2, 1000);
  expect(read).toEqual([1, 2, 3, 4, 2]);
});

test("counts the overhead of tiny files [S-55]", async () => {
  const { read, get } = open({ bytes: 4000 });
  for (let name = 1; name <= 100; name += 1) await get(name, 1);
  await get(100, 1);
  await get(1, 1);
  expect(read).toHaveLength(101);
});

test("does not cache a failed read [S-55]", async () => {
  const cache = new SmallFileCache();
  const digest = Digest.parse(`sha256:${"0".repeat(64)}`);
  await expect(cache.get(digest, () => Promise.reject(new Error("gone")))).rejects.toThrow("gone");
  expect(await cache.get(digest, async () => new Uint8Array(3))).toHaveLength(3);
});
