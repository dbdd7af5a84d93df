import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ChunkReader } from "./chunk-reader.ts";

const content = Buffer.from(Array.from({ length: 2000 }, (_, at) => (at * 167) % 251));

async function* cut(lengths: readonly number[]): AsyncGenerator<Buffer> {
  let at = 0;
  for (const length of [...lengths, content.length]) {
    yield content.subarray(at, at + length);
    at += length;
  }
}

describe("a reader", () => {
  const lengths = fc.array(fc.nat({ max: 300 }));
  const step = fc.record({ does: fc.constantFrom("take", "skip", "next"), length: fc.nat({ max: 700 }) });

  test("returns the same bytes for any chunk sizes [S-42]", async () => {
    await fc.assert(
      fc.asyncProperty(lengths, fc.array(step), async (pieces, steps) => {
        const reader = new ChunkReader(cut(pieces));
        let at = 0;
        for (const { does, length } of steps) {
          const expected = content.subarray(at, at + length);
          if (does === "next") {
            const piece = await reader.next(length);
            expect(piece === undefined || expected.subarray(0, piece.length).equals(piece)).toBe(true);
            expect((piece?.length ?? 0) > 0).toBe(expected.length > 0);
            at += piece?.length ?? 0;
          } else {
            if (does === "skip") expect(await reader.skipTo(at + length)).toBe(expected.length === length);
            else expect(expected.equals(await reader.take(length))).toBe(true);
            at += expected.length;
          }
          expect(reader.position).toBe(at);
        }
      }),
    );
  });

  test("releases its source at any position [S-42]", async () => {
    let isOpen = true;
    async function* source(): AsyncGenerator<Buffer> {
      try {
        yield* cut([10]);
      } finally {
        isOpen = false;
      }
    }
    const reader = new ChunkReader(source());
    await reader.take(1);
    expect(isOpen).toBe(true);
    await reader.close();
    expect(isOpen).toBe(false);
  });
});
