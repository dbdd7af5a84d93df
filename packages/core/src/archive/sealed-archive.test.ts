import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hashSkillFile } from "../bundle/index.ts";
import { Pace } from "../bundle/pace.ts";
import { type ArchiveBytes, archiveInMemory } from "./archive-bytes.ts";
import { type SealedArchive, sealArchive } from "./sealed-archive.ts";
import { noise } from "./tree.fixture.ts";

const content = noise(10_000);
const seal = (bytes: ArchiveBytes, chunkBytes = 1000) => sealArchive(bytes, chunkBytes, new Pace(100));

async function collect(archive: SealedArchive, start: number, end: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const piece of archive.pieces(start, end)) parts.push(Buffer.from(piece));
  return Buffer.concat(parts);
}

describe("a sealed archive", () => {
  test("returns any range with any buffer size [S-42]", async () => {
    const place = fc.tuple(fc.nat({ max: 10_000 }), fc.nat({ max: 10_000 }));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 12_000 }), fc.array(place), async (chunkBytes, places) => {
        const archive = await seal(archiveInMemory(content), chunkBytes);
        for (const [a, b] of places) {
          const [start, end] = a < b ? [a, b] : [b, a];
          const expected = content.subarray(start, end);
          expect((await archive.read(start, end - start)).equals(expected)).toBe(true);
          expect((await collect(archive, start, end)).equals(expected)).toBe(true);
        }
      }),
      { numRuns: 50 },
    );
  });

  test("has the digest of all its bytes [S-42]", async () => {
    for (const bytes of [content, content.subarray(0, 1000), content.subarray(0, 0)])
      expect((await seal(archiveInMemory(bytes))).digest).toBe(hashSkillFile(bytes));
  });

  test("reads each chunk once in a sequential read [S-66]", async () => {
    const starts: number[] = [];
    const memory = archiveInMemory(content);
    const archive = await seal({
      size: memory.size,
      read: async (start, into) => {
        starts.push(start);
        await memory.read(start, into);
      },
    });
    starts.length = 0;
    for (let at = 0; at < content.length; at += 10) await archive.read(at, 10);
    expect(starts).toEqual([0, 1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000]);
  });

  test("rejects changed bytes and still returns unchanged ones [S-42]", async () => {
    const bytes = Buffer.from(content);
    const archive = await seal(archiveInMemory(bytes));
    bytes[4321] = (bytes[4321] ?? 0) ^ 1;
    await expect(archive.read(4000, 1)).rejects.toMatchObject({ code: "IO_FAILED" });
    await expect(collect(archive, 0, 10_000)).rejects.toMatchObject({ code: "IO_FAILED" });
    expect(await archive.read(3999, 1)).toEqual(content.subarray(3999, 4000));
    bytes[4321] = (bytes[4321] ?? 0) ^ 1;
    expect(await archive.read(4321, 1)).toEqual(content.subarray(4321, 4322));
  });
});
