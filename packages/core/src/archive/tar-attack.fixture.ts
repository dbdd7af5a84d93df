import { gzipSync } from "node:zlib";
import { type Attack, badNames, badTogether } from "./attack.fixture.ts";
import { type ForgedBlock, forgeTar, pax, zeros } from "./forge.fixture.ts";
import { noise } from "./tree.fixture.ts";

export const honestBlock: ForgedBlock = {
  name: "demo/SKILL.md",
  data: "---\nname: demo\ndescription: x\n---\nhi\n",
};

/** Megabytes of text that does not compress well. */
const text = noise(1024 * 1024).toString("base64");

const longName = (data: string | Buffer): ForgedBlock => ({ name: "././@LongLink", type: "L", data });

function attack(
  name: string,
  blocks: readonly ForgedBlock[],
  reason: Attack["reason"],
  entry?: string,
): Attack {
  const last = blocks.at(-1)?.name;
  const shown = entry ?? (typeof last === "string" ? last : undefined);
  return {
    name,
    make: () => forgeTar([honestBlock, ...blocks]),
    reason,
    ...(shown === undefined ? {} : { entry: shown }),
  };
}

function whole(name: string, make: () => Buffer, reason: Attack["reason"]): Attack {
  return { name, make, reason };
}

const good = () => forgeTar([honestBlock]);

const shape: readonly Attack[] = [
  attack("a symbolic link", [{ name: "demo/l", type: "2", link: "/etc/passwd" }], "type"),
  attack("a hard link", [{ name: "demo/l", type: "1", link: "/etc/passwd" }], "type"),
  attack(
    "a link to a folder, and a file through it",
    [{ name: "demo/d", type: "2", link: "../.." }, { name: "demo/d/ESCAPE" }],
    "type",
    "demo/d",
  ),
  attack("a character device", [{ name: "demo/x", type: "3" }], "type"),
  attack("a block device", [{ name: "demo/x", type: "4" }], "type"),
  attack("a FIFO", [{ name: "demo/x", type: "6" }], "type"),
  attack("a contiguous file", [{ name: "demo/x", type: "7" }], "type"),
  attack("a sparse file", [{ name: "demo/x", type: "S", data: "canary" }], "type"),
  attack("a volume label", [{ name: "demo/x", type: "V" }], "type"),
  attack("a part of another volume", [{ name: "demo/x", type: "M" }], "type"),
  attack("a dump of a folder", [{ name: "demo/x", type: "D" }], "type"),
  attack("a long link target", [{ name: "././@LongLink", type: "K", data: "/etc/passwd\0" }], "type"),
  attack("an unknown type", [{ name: "demo/x", type: "?" }], "type"),
  attack("a folder with content", [{ name: "demo/d/", type: "5", data: "canary" }], "type"),
  attack("a file with a slash", [{ name: "demo/f/", data: "" }], "name"),
  attack("a size in binary", [{ name: "demo/x", size: "\x80\0\0\0\0\0\0\0\0\0\0\x06" }], "size"),
  attack(
    "a negative size",
    [{ name: "demo/x", size: "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xfa" }],
    "size",
  ),
  attack("a size in decimal", [{ name: "demo/x", size: "00000000009\0" }], "size"),
  attack("two sizes", [{ name: "demo/x", size: "6 1\0" }], "size"),
  attack("a size beyond the end", [{ name: "demo/x", size: "00007777777\0" }], "damaged"),
  attack("a wrong checksum", [{ name: "demo/x", checksum: "000001\0 " }], "checksum"),
  attack("a header of another format", [{ name: "demo/x", magic: "\0\0\0\0\0\0\0\0" }], "format"),
];

const extension: readonly Attack[] = [
  attack("a path that leaves", [pax({ path: "../../ESCAPE" }), { name: "demo/x" }], "name", "../../ESCAPE"),
  attack("a path with a zero byte", [pax({ path: "demo/a\0b" }), { name: "demo/x" }], "name", "demo/ab"),
  attack("a long name that leaves", [longName("../../ESCAPE\0"), { name: "demo/x" }], "name", "../../ESCAPE"),
  attack("a prefix that leaves", [{ name: "ESCAPE", prefix: "../.." }], "name", "../../ESCAPE"),
  attack("an empty path", [pax({ path: "" }), { name: "demo/x" }], "extension", "PaxHeader"),
  attack(
    "two paths",
    [pax({ path: "demo/a", "path ": "demo/b" }), { name: "demo/x" }],
    "extension",
    "PaxHeader",
  ),
  attack(
    "a path given twice",
    [{ name: "PaxHeader", type: "x", data: "15 path=demo/a\n15 path=demo/b\n" }, { name: "demo/x" }],
    "extension",
    "PaxHeader",
  ),
  attack("a size", [pax({ size: "3" }), { name: "demo/x" }], "extension", "PaxHeader"),
  attack("a link target", [pax({ linkpath: "/etc/passwd" }), { name: "demo/x" }], "extension", "PaxHeader"),
  attack(
    "a sparse file of GNU",
    [pax({ "GNU.sparse.major": "1", "GNU.sparse.name": "../ESCAPE" }), { name: "demo/x" }],
    "extension",
    "PaxHeader",
  ),
  attack(
    "another charset",
    [pax({ hdrcharset: "BINARY", path: "demo/a" }), { name: "demo/x" }],
    "extension",
    "PaxHeader",
  ),
  attack(
    "an unknown key",
    [pax({ "VENDOR.path": "../ESCAPE" }), { name: "demo/x" }],
    "extension",
    "PaxHeader",
  ),
  attack("a path for all", [pax({ path: "../ESCAPE" }, "g"), { name: "demo/x" }], "extension", "PaxHeader"),
  attack("a size for all", [pax({ size: "0" }, "g"), { name: "demo/x" }], "extension", "PaxHeader"),
  attack(
    "a record that is cut off",
    [{ name: "PaxHeader", type: "x", data: "99 path=demo/a\n" }, { name: "demo/x" }],
    "damaged",
    "PaxHeader",
  ),
  attack(
    "a record without a length",
    [{ name: "PaxHeader", type: "x", data: "path=../ESCAPE\n" }, { name: "demo/x" }],
    "damaged",
    "PaxHeader",
  ),
  attack(
    "a record of length zero",
    [{ name: "PaxHeader", type: "x", data: "0 path=demo/a\n" }, { name: "demo/x" }],
    "damaged",
    "PaxHeader",
  ),
  attack(
    "two extensions",
    [pax({ path: "demo/a" }), longName("demo/b\0"), { name: "demo/x" }],
    "extension",
    "PaxHeader",
  ),
  attack("an extension of nothing", [pax({ path: "demo/a" })], "extension", "PaxHeader"),
  attack("an extension that says nothing", [pax({}), { name: "demo/x" }], "extension", "PaxHeader"),
  attack(
    "an extension of all that says nothing",
    [pax({}, "g"), { name: "demo/x" }],
    "extension",
    "PaxHeader",
  ),
  attack(
    "a long name of two",
    [longName("demo/a\0../ESCAPE\0"), { name: "demo/x" }],
    "extension",
    "././@LongLink",
  ),
  attack("an extension of megabytes", [longName(text), { name: "demo/x" }], "extension", "././@LongLink"),
];

const frame: readonly Attack[] = [
  whole("a tar without an end", () => forgeTar([honestBlock], Buffer.alloc(0)), "damaged"),
  whole("a tar with half an end", () => forgeTar([honestBlock], Buffer.alloc(512)), "damaged"),
  whole("a tar that is cut off", () => good().subarray(0, 700), "damaged"),
  whole("a tar with a second one after it", () => Buffer.concat([good(), good()]), "layout"),
  whole("a tar with text after it", () => Buffer.concat([good(), Buffer.alloc(512, 0x41)]), "layout"),
  whole("a tar of folders", () => forgeTar([{ name: "demo/", type: "5" }]), "empty"),
  whole("two gzip members", () => Buffer.concat([gzipSync(good()), gzipSync(good())]), "layout"),
  whole("bytes after gzip", () => Buffer.concat([gzipSync(good()), Buffer.from("hidden")]), "layout"),
  whole("zeros after gzip", () => Buffer.concat([gzipSync(good()), Buffer.alloc(8)]), "layout"),
  whole("gzip that is cut off", () => gzipSync(good()).subarray(0, -20), "damaged"),
  whole("gzip without its checksum", () => gzipSync(good()).subarray(0, -8), "damaged"),
  whole("gzip with a wrong checksum", () => changed(gzipSync(good()), -8), "checksum"),
  whole("gzip with a wrong size", () => changed(gzipSync(good()), -4), "size"),
  whole("gzip with unknown flags", () => changed(gzipSync(good()), 3), "damaged"),
  whole(
    "gzip with a name without an end",
    () => Buffer.concat([Buffer.from("1f8b0808000000000003", "hex"), Buffer.alloc(50, 0x61)]),
    "damaged",
  ),
  whole("gzip of text", () => gzipSync("hello"), "format"),
  whole("a bomb", () => gzipped(zeros(2048)), "limit"),
  attack("a file of gigabytes that is not there", [{ name: "demo/z", size: "77777777777\0" }], "damaged"),
  attack(
    "more files than a skill may have",
    Array.from({ length: 2000 }, (_, at) => ({ name: `demo/f${at}`, data: "" })),
    "limit",
  ),
  attack(
    "a long name",
    [longName(`demo/${"a".repeat(5000)}\0`), { name: "demo/x" }],
    "limit",
    `demo/${"a".repeat(114)}…`,
  ),
  attack("a deep name", [{ name: `${"d/".repeat(16)}x` }], "limit"),
];

/** The first bytes are zeros, which no tar begins with; it is not looked at before it has grown too large. */
function gzipped(data: Buffer): Buffer {
  return Buffer.concat([Buffer.from("1f8b0800000000000003", "hex"), data, Buffer.alloc(8)]);
}

function changed(bytes: Buffer, at: number): Buffer {
  const place = at < 0 ? bytes.length + at : at;
  bytes[place] = (bytes[place] ?? 0) ^ 0xff;
  return bytes;
}

/** A tar name ends at the first zero byte, so names with a zero byte are tested only in a ZIP. */
const named: readonly Attack[] = badNames.map(([title, name, shown]) => ({
  name: `${title} in a name`,
  make: () => forgeTar([honestBlock, { name }]),
  reason: "name",
  entry: shown ?? String(name),
}));

const together: readonly Attack[] = badTogether.map(([title, reason, names]) =>
  attack(
    title,
    names.map((name) => ({ name })),
    reason,
  ),
);

export const tarAttacks: readonly Attack[] = [...named, ...together, ...shape, ...extension, ...frame];
