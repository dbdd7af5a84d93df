import { gzipSync } from "node:zlib";
import {
  checksumOf,
  descriptorOf,
  extraField,
  type ForgedEntry,
  forgeTar,
  forgeZip,
  pax,
} from "@skillhold/core/test/archive/forge.fixture";
import fc from "fast-check";

const plainNames = [
  "SKILL.md",
  "demo/SKILL.md",
  "demo/a.md",
  "demo/b/c.txt",
  "demo/B/d.txt",
  "x",
  "demo/é.md",
];
const oddNames = [
  "../ESCAPE",
  "/tmp/skillhold-ESCAPE",
  "demo/../../ESCAPE",
  "demo\\..\\ESCAPE",
  "./demo/a.md",
  "./",
  "demo/",
  "demo/a.md/x",
  "demo/A.md",
  "__MACOSX/._a",
  "",
  "..",
  "C:/ESCAPE",
  "demo/\u0000a",
  "demo/con",
];

/** Archives that were well-formed once: made of entries honest and not, and then damaged. */
export const mutatedArchive: fc.Arbitrary<Buffer> = fc.oneof(
  damaged(zip()),
  damaged(tar()),
  // The sums are made anew, so that damage gets past them.
  damaged(tar()).map((bytes) => gzipSync(resum(bytes), { level: 1 })),
  damaged(tar()).map(resum),
  damaged(tar().map((bytes) => gzipSync(bytes, { level: 1 }))),
);

function name(): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...plainNames) },
    { weight: 16, arbitrary: fc.nat({ max: 999 }).map((at) => `demo/f${at}`) },
    { weight: 1, arbitrary: fc.constantFrom(...oddNames) },
  );
}

function data(): fc.Arbitrary<Buffer> {
  return fc.oneof(
    fc.constantFrom("", "canary", "../../ESCAPE", "---\nname: demo\n---\n").map((text) => Buffer.from(text)),
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    fc.nat({ max: 100_000 }).map((length) => Buffer.alloc(length)),
  );
}

function zip(): fc.Arbitrary<Buffer> {
  const mode = fc.oneof(
    { weight: 30, arbitrary: fc.constantFrom(0o100644, 0o100755, 0) },
    { weight: 1, arbitrary: fc.constantFrom(0o120777, 0o040755, 0o010644, 0o104755) },
  );
  const entry = fc
    .record({ name: name(), data: data(), method: fc.constantFrom(0, 8), mode, isStreamed: fc.boolean() })
    .map(({ isStreamed, ...each }): ForgedEntry => {
      if (!isStreamed || each.method !== 0) return each;
      const descriptor = descriptorOf(each.data, each.data.length);
      return { ...each, flags: 0x808, local: { checksum: 0, size: 0, packedSize: 0 }, descriptor };
    });
  const extra = fc.option(
    fc.uint8Array({ maxLength: 20 }).map((bytes) => extraField(0x5455, Buffer.from(bytes))),
  );
  return fc
    .tuple(
      fc.array(entry, { minLength: 1, maxLength: 5 }),
      extra,
      fc.constantFrom("", "comment", "PK\x05\x06"),
    )
    .map(([entries, field, comment]) => {
      const all = field === null ? entries : entries.map((each) => ({ ...each, extra: field }));
      return forgeZip(all, { comment: Buffer.from(comment, "latin1") });
    });
}

function tar(): fc.Arbitrary<Buffer> {
  const type = fc.oneof(
    { weight: 30, arbitrary: fc.constantFrom("0", "0", "5") },
    { weight: 1, arbitrary: fc.constantFrom("1", "2", "3", "6", "S", "L", "x", "g") },
  );
  const block = fc
    .record({
      name: name(),
      data: data(),
      type,
      mode: fc.constantFrom("0000644\0", "0000755\0", "0104755\0"),
    })
    .map((each) => (each.type === "5" ? { ...each, data: "" } : each));
  const extension = fc
    .tuple(fc.constantFrom("path", "mtime", "size", "comment"), name())
    .map(([key, value]) => pax({ [key]: value }));
  return fc
    .array(fc.oneof({ weight: 5, arbitrary: block }, { weight: 1, arbitrary: extension }), {
      minLength: 1,
      maxLength: 5,
    })
    .map((blocks) => forgeTar(blocks));
}

type Change = (bytes: Buffer) => Buffer;

/** Some of them stay as they are. */
function damaged(archive: fc.Arbitrary<Buffer>): fc.Arbitrary<Buffer> {
  return fc
    .tuple(archive, fc.array(change(), { maxLength: 3 }))
    .map(([bytes, changes]) => changes.reduce((now, each) => each(now), bytes));
}

function change(): fc.Arbitrary<Change> {
  const place = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  const interesting = fc.constantFrom(
    0,
    1,
    2,
    7,
    8,
    0x7f,
    0xff,
    0xffff,
    0x10000,
    0x7fffffff,
    0xfffffffe,
    0xffffffff,
  );
  const at = (bytes: Buffer, share: number) => Math.floor(share * bytes.length);
  return fc.oneof(
    fc.tuple(place, fc.nat({ max: 7 })).map(
      ([share, bit]): Change =>
        (bytes) => {
          const next = Buffer.from(bytes);
          next[at(bytes, share)] = (next[at(bytes, share)] ?? 0) ^ (1 << bit);
          return next;
        },
    ),
    fc.tuple(place, interesting, fc.constantFrom(1, 2, 4)).map(
      ([share, value, width]): Change =>
        (bytes) => {
          const next = Buffer.from(bytes);
          const start = Math.min(at(bytes, share), bytes.length - width);
          if (start >= 0) next.writeUIntLE(value % 2 ** (8 * width), start, width);
          return next;
        },
    ),
    place.map(
      (share): Change =>
        (bytes) =>
          bytes.subarray(0, at(bytes, share)),
    ),
    fc.tuple(place, fc.nat({ max: 600 })).map(
      ([share, length]): Change =>
        (bytes) => {
          const start = at(bytes, share);
          return Buffer.concat([bytes.subarray(0, start), bytes.subarray(start + length)]);
        },
    ),
    fc.tuple(place, place, fc.nat({ max: 600 })).map(
      ([from, to, length]): Change =>
        (bytes) => {
          const piece = bytes.subarray(at(bytes, from), at(bytes, from) + length);
          return Buffer.concat([bytes.subarray(0, at(bytes, to)), piece, bytes.subarray(at(bytes, to))]);
        },
    ),
    fc.constant<Change>((bytes) => Buffer.concat([bytes, bytes])),
    fc.uint8Array({ maxLength: 40 }).map(
      (tail): Change =>
        (bytes) =>
          Buffer.concat([bytes, tail]),
    ),
  );
}

/** Makes the checksum of every block right that could be a header. */
function resum(bytes: Buffer): Buffer {
  const next = Buffer.from(bytes);
  for (let at = 0; at + 512 <= next.length; at += 512) {
    const block = next.subarray(at, at + 512);
    if (block.toString("latin1", 257, 262) === "ustar") block.write(checksumOf(block), 148, "latin1");
  }
  return next;
}
