import { deflateRawSync, gzipSync } from "node:zlib";
import { SkillError } from "@skillhold/protocol/error";
import { describe, expect, test } from "vitest";
import { type ArchiveBytes, archiveInMemory } from "./archive-bytes.ts";
import { descriptorOf, type ForgedEntry, forgeTar, forgeZip } from "./forge.fixture.ts";
import { describeTree, noise, readTree } from "./tree.fixture.ts";
import { unpack } from "./unpack.ts";
import { honest } from "./zip-attack.fixture.ts";

const MEGABYTE = 1024 * 1024;
/** Bytes that do not compress in any way that matters here. */
const large = noise(3 * MEGABYTE);
/** More than is inflated at once. */
const text = Buffer.from(Array.from({ length: 80_000 }, (_, at) => `This is line ${at}.\n`).join(""));

describe("files of megabytes", () => {
  const files = [
    { path: "a", executable: false, content: large },
    { path: "b", executable: false, content: Buffer.from("b") },
    { path: "c", executable: true, content: text },
    { path: "d", executable: false, content: Buffer.alloc(0) },
    { path: "e", executable: false, content: noise(MEGABYTE) },
  ];
  const entries = (method: number): readonly ForgedEntry[] =>
    files.map(({ path, executable, content }) => ({
      name: path,
      data: content,
      mode: executable ? 0o100755 : 0o100644,
      method,
    }));
  const tar = forgeTar(
    files.map(({ path, executable, content }) => ({
      name: path,
      data: content,
      mode: executable ? "0000755\0" : "0000644\0",
    })),
  );

  test.each([
    ["stored in a ZIP", () => forgeZip(entries(0))],
    ["deflated in a ZIP", () => forgeZip(entries(8))],
    ["in a tar", () => tar],
    ["in a tar.gz", () => gzipSync(tar)],
    ["in a tar.gz that is not compressed", () => gzipSync(tar, { level: 0 })],
  ])("are unpacked byte for byte %s with any buffer size [S-42]", async (_, make) => {
    const archive = make();
    for (const chunkBytes of [4 * MEGABYTE, 100_003, 4096]) {
      const { tree } = await unpack(archiveInMemory(archive), { chunkBytes });
      expect(describeTree(readTree(tree))).toEqual(describeTree(files));
    }
  });

  const packed = deflateRawSync(text);
  const attacks: readonly (readonly [string, Partial<ForgedEntry>, string])[] = [
    ["more data than it says", { method: 8, size: text.length - 1 }, "size"],
    ["less data than it says", { method: 8, size: text.length + 1 }, "size"],
    ["another checksum than it says", { method: 8, checksum: 1 }, "checksum"],
    ["another checksum than it says and no compression", { checksum: 1 }, "checksum"],
    [
      "bytes after its data",
      { method: 8, packed: Buffer.concat([packed, Buffer.from("hidden")]) },
      "damaged",
    ],
    ["data that is cut off", { method: 8, packed: packed.subarray(0, -5) }, "damaged"],
    [
      "damaged data",
      { method: 8, packed: Buffer.concat([Buffer.from("nonsense, surely"), packed]) },
      "damaged",
    ],
  ];

  test.each(attacks)("with %s are rejected with a named reason [S-42]", async (_, entry, reason) => {
    const archive = forgeZip([honest, { name: "demo/big", data: text, ...entry }]);
    const error = await unpack(archiveInMemory(archive)).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(SkillError);
    expect(error).toMatchObject({ code: "ARCHIVE_INVALID", details: { reason, entry: "demo/big" } });
  });
});

describe("bytes read from an archive", () => {
  /** Counts the bytes that are read. */
  class CountedArchive implements ArchiveBytes {
    readonly size: number;
    bytes = 0;
    readonly #archive: ArchiveBytes;
    constructor(archive: Uint8Array) {
      this.size = archive.length;
      this.#archive = archiveInMemory(archive);
    }
    async read(start: number, into: Uint8Array): Promise<void> {
      this.bytes += into.length;
      await this.#archive.read(start, into);
    }
  }

  /** The directory names the entries from the last to the first, and every second one before the others. */
  function shuffled(archive: Buffer, count: number): Buffer {
    const start = archive.readUInt32LE(archive.length - 6);
    const length = (archive.length - 22 - start) / count;
    const records = Array.from({ length: count }, (_, at) =>
      archive.subarray(start + at * length, start + (at + 1) * length),
    ).toReversed();
    const order = [...records.filter((_, at) => at % 2 === 0), ...records.filter((_, at) => at % 2 === 1)];
    return Buffer.concat([archive.subarray(0, start), ...order, archive.subarray(-22)]);
  }

  test("are at most a few times its size, for any order of entries [S-66]", async () => {
    const count = 1000;
    const content = noise(4000);
    const packed = deflateRawSync(content);
    const contents = Array.from({ length: count }, (_, at) => ({
      path: `f${String(at).padStart(4, "0")}`,
      executable: false,
      content,
    }));
    const descriptor = descriptorOf(content, packed.length);
    const entries = contents.map(({ path: name }) => ({
      name,
      data: content,
      packed,
      method: 8,
      flags: 0x808,
      descriptor,
    }));
    const archive = new CountedArchive(shuffled(forgeZip(entries), count));
    const { files, tree } = await unpack(archive, { chunkBytes: 64 * 1024 });
    expect(files.slice(0, 3).map(({ path }) => path)).toEqual(["f0999", "f0997", "f0995"]);
    expect(describeTree(readTree(tree))).toEqual(describeTree(contents));
    // Once for the digest, for local headers, for descriptors and for data, and the directory.
    expect(archive.bytes).toBeLessThan(5 * archive.size);
  });

  test("are zero for an archive above the limit [S-66]", async () => {
    const archive = new CountedArchive(Buffer.alloc(21 * MEGABYTE));
    await expect(unpack(archive)).rejects.toMatchObject({ code: "LIMIT_EXCEEDED" });
    expect(archive.bytes).toBe(0);
  });
});
