import { crc32, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { tryChanging } from "./changing.fixture.ts";
import { forgeTar, forgeZip } from "./forge.fixture.ts";
import { noise } from "./tree.fixture.ts";

const CHUNK_BYTES = 4096;
const before = noise(20_000);
const after = withSameChecksum(before);

/** Flips bits that form a multiple of the CRC-32 polynomial, so the checksum stays the same. */
function withSameChecksum(bytes: Buffer): Buffer {
  const bits = [1, ...[...(0x04c11db7).toString(2).padStart(32, "0")].map(Number)];
  const changed = Buffer.from(bytes);
  for (const [at, bit] of bits.entries()) {
    const place = bytes.length / 2 + (at >> 3);
    changed[place] = (changed[place] ?? 0) ^ (bit << (at & 7));
  }
  return changed;
}

const entries = (data: Buffer) => [{ name: "first" }, { name: "swapped", data }, { name: "last" }];

describe("bytes that are swapped while an archive is read", () => {
  test("can have the checksum of the originals [S-42]", () => {
    expect(after.equals(before)).toBe(false);
    expect(crc32(after)).toBe(crc32(before));
  });

  test.each([
    ["a ZIP", (data: Buffer) => forgeZip(entries(data))],
    ["a tar", (data: Buffer) => forgeTar(entries(data))],
    ["a tar.gz", (data: Buffer) => gzipSync(forgeTar(entries(data)), { level: 0 })],
  ])("are not accepted in %s, at any time [S-42]", async (_, make) => {
    const archive = make(before);
    const to = make(after);
    expect(to.length).toBe(archive.length);
    const chunks = Math.ceil(archive.length / CHUNK_BYTES);
    const outcomes: string[] = [];
    for (let reads = 0; reads < 6 * chunks; reads += 1) {
      const trial = await tryChanging(archive, { after: reads, to }, CHUNK_BYTES);
      expect(trial).not.toHaveProperty("why");
      outcomes.push(trial.outcome === "refused" ? trial.code : trial.outcome);
    }
    // As the second one, as neither, and as the first one because all was read by then.
    expect(outcomes[0]).toBe("accepted");
    expect(outcomes[chunks]).toBe("IO_FAILED");
    expect(outcomes.at(-1)).toBe("accepted");
  });
});
