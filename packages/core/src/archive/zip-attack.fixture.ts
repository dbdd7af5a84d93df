import { crc32, deflateRawSync } from "node:zlib";
import { type Attack, badNames, badTogether } from "./attack.fixture.ts";
import {
  descriptorOf,
  extraField,
  type ForgedEntry,
  type ForgedZip,
  forgeZip,
  zeros,
} from "./forge.fixture.ts";

export const honest: ForgedEntry = {
  name: "demo/SKILL.md",
  data: "---\nname: demo\ndescription: x\n---\nhi\n",
  method: 8,
};

const extra = (name: string, entry: Partial<ForgedEntry>, reason: Attack["reason"]): Attack =>
  attack(name, [{ name: "demo/x", ...entry }], reason);

function attack(
  name: string,
  entries: readonly ForgedEntry[],
  reason: Attack["reason"],
  options: ForgedZip & { readonly entry?: string } = {},
): Attack {
  const last = entries.at(-1)?.name;
  const entry = options.entry ?? (typeof last === "string" ? last : undefined);
  return {
    name,
    make: () => forgeZip([honest, ...entries], options),
    reason,
    ...(entry === undefined ? {} : { entry }),
  };
}

/** Of an archive that breaks a rule as a whole. */
function whole(name: string, make: () => Buffer, reason: Attack["reason"]): Attack {
  return { name, make, reason };
}

const good = () => forgeZip([honest]);
const streamed = { flags: 0x808, data: "canary", local: { checksum: 0, size: 0, packedSize: 0 } };

function unicodePath(name: string, other: string, checksum = crc32(name)): Buffer {
  const head = Buffer.alloc(5);
  head[0] = 1;
  head.writeUInt32LE(checksum, 1);
  return extraField(0x7075, Buffer.concat([head, Buffer.from(other)]));
}

function bomb(name: string, megabytes: number, entry: Partial<ForgedEntry> = {}): ForgedEntry {
  return { name, method: 8, data: "", packed: zeros(megabytes), size: megabytes * 1024 * 1024, ...entry };
}

function withZip64End(change: (record: Buffer, locator: Buffer) => void): Buffer {
  const archive = good();
  const end = archive.subarray(-22);
  const start = end.readUInt32LE(16);
  const record = Buffer.alloc(56);
  record.writeUInt32LE(0x06064b50, 0);
  record.writeBigUInt64LE(44n, 4);
  record.writeBigUInt64LE(1n, 24);
  record.writeBigUInt64LE(1n, 32);
  record.writeBigUInt64LE(BigInt(end.readUInt32LE(12)), 40);
  record.writeBigUInt64LE(BigInt(start), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(archive.length - 22), 8);
  locator.writeUInt32LE(1, 16);
  change(record, locator);
  return Buffer.concat([archive.subarray(0, -22), record, locator, end]);
}

/** The same archive with the record for large ones, as it should be. */
export const zip64: () => Buffer = () => withZip64End(() => undefined);

const shape: readonly Attack[] = [
  extra("a link", { data: "/etc/passwd", mode: 0o120777 }, "type"),
  attack(
    "a link to a folder, and a file through it",
    [{ name: "demo/d", data: "../../", mode: 0o120777 }, { name: "demo/d/ESCAPE" }],
    "type",
    { entry: "demo/d" },
  ),
  attack(
    "a link and a file of the same name",
    [{ name: "demo/x", data: "../../ESCAPE", mode: 0o120777 }, { name: "demo/x" }],
    "type",
  ),
  extra("a link that claims to be made on DOS", { mode: 0o120777, madeBy: 0x0014 }, "type"),
  attack("a link with a slash", [{ name: "demo/d/", data: "", mode: 0o120777 }], "type"),
  extra("a character device", { mode: 0o020666 }, "type"),
  extra("a block device", { mode: 0o060666 }, "type"),
  extra("a FIFO", { mode: 0o010644 }, "type"),
  extra("a socket", { mode: 0o140644 }, "type"),
  attack("a folder with content", [{ name: "demo/dd/", mode: 0o040755 }], "type"),
  extra("a folder without a slash", { mode: 0o040755 }, "type"),
  extra("a DOS folder without a slash", { attributes: 0x10, madeBy: 0x0014 }, "type"),
  attack("a file with a slash", [{ name: "demo/f/", data: "" }], "type"),
  extra("encryption", { flags: 0x801 }, "encrypted"),
  extra("strong encryption", { flags: 0x841 }, "damaged"),
  extra("hidden headers", { flags: 0x2800 }, "encrypted"),
  extra("a patch", { flags: 0x820 }, "method"),
  extra("LZMA", { method: 14, packed: Buffer.from("xx") }, "method"),
  extra("an unknown method", { method: 77, packed: Buffer.from("xx") }, "method"),
  extra("another name in its own header", { local: { name: "../ESC" } }, "mismatch"),
  extra("another size in its own header", { local: { size: 1, packedSize: 1 } }, "mismatch"),
  extra("another checksum in its own header", { local: { checksum: 1 } }, "mismatch"),
  extra("another method in its own header", { local: { method: 8 } }, "mismatch"),
  extra("encryption in its own header alone", { local: { flags: 0x801 } }, "mismatch"),
  extra("a descriptor in its own header alone", { local: { flags: 0x808 } }, "mismatch"),
  extra("another name in an extra field", { extra: unicodePath("demo/x", "../ESCAPE") }, "mismatch"),
  extra(
    "another name in a local extra field",
    { local: { extra: unicodePath("demo/x", "../E") } },
    "mismatch",
  ),
  extra(
    "a name for other bytes in an extra field",
    { extra: unicodePath("demo/x", "demo/x", 1) },
    "mismatch",
  ),
  extra(
    "an extra field that is cut off",
    { extra: Buffer.from([1, 0, 99, 0]), local: { extra: Buffer.alloc(0) } },
    "damaged",
  ),
  extra("a local extra field that is cut off", { local: { extra: Buffer.from([1, 0, 99, 0]) } }, "damaged"),
  extra("long sizes that are missing", { local: { size: 0xffffffff, packedSize: 0xffffffff } }, "damaged"),
  extra("a descriptor that is missing", streamed, "layout"),
  extra("a descriptor that lies", { ...streamed, descriptor: descriptorOf("canarY", 6) }, "mismatch"),
  extra(
    "a descriptor with bytes after it",
    { ...streamed, descriptor: Buffer.concat([descriptorOf("canary", 6), Buffer.alloc(3)]) },
    "layout",
  ),
  extra("a wrong checksum", { checksum: 1 }, "checksum"),
  extra("a stored file of two sizes", { size: 5 }, "size"),
  extra("damaged data", { method: 8, packed: Buffer.from("nonsense, surely") }, "damaged"),
  extra(
    "bytes after the data",
    { method: 8, packed: Buffer.concat([deflateRawSync(Buffer.from("canary")), Buffer.from("hidden")]) },
    "damaged",
  ),
  extra("less data than it says", { method: 8, size: 7 }, "size"),
];

const weight: readonly Attack[] = [
  attack("a bomb", [bomb("demo/z", 40)], "limit"),
  attack("a bomb that says it is small", [bomb("demo/z", 200, { size: 10 })], "size"),
  attack("a bomb that is too large", [bomb("demo/z", 51)], "limit"),
  attack("many bombs in one place, two gigabytes of them", overlapping(), "limit", { entry: "demo/k0" }),
  attack("entries that share their data", [{ name: "demo/a" }, { name: "demo/b", sameAs: 1 }], "mismatch"),
  attack("the same entry twice over", [{ name: "demo/a" }, { name: "demo/a", sameAs: 1 }], "duplicate"),
  attack(
    "an entry inside of another",
    [
      { name: "demo/q0", data: forgeZip([{ name: "demo/q1" }]) },
      { name: "demo/q1", sameAs: 1, start: insideSecond() },
    ],
    "layout",
    { entry: "demo/q0" },
  ),
  whole(
    "sixty thousand entries",
    () => forgeZip(Array.from({ length: 60_000 }, (_, at) => ({ name: `demo/f${at}`, data: "" }))),
    "limit",
  ),
  {
    name: "sixty thousand entries that are not counted",
    make: () =>
      forgeZip(
        Array.from({ length: 60_000 }, (_, at) => ({ name: `demo/f${at}`, data: "" })),
        { count: 1 },
      ),
    reason: "layout",
    entry: "demo/f1",
  },
  attack(
    "more files than a skill may have",
    Array.from({ length: 2000 }, (_, at) => ({ name: `demo/f${at}`, data: "" })),
    "limit",
  ),
  attack(
    "folders by the thousand",
    Array.from({ length: 1999 }, (_, at) => ({
      name: `e${at}/${"d/".repeat(13)}`,
      data: "",
      mode: 0o040755,
    })),
    "limit",
    { entry: `e1428/${"d/".repeat(13)}` },
  ),
  attack("a long name", [{ name: `demo/${"a".repeat(5000)}` }], "limit", {
    entry: `demo/${"a".repeat(114)}…`,
  }),
  attack("a deep name", [{ name: `${"d/".repeat(16)}x` }], "limit"),
];

function overlapping(): readonly ForgedEntry[] {
  const first = bomb("demo/k0", 10);
  const { packed = Buffer.alloc(0) } = first;
  return [
    first,
    ...Array.from({ length: 199 }, (_, at) => ({ ...first, packed, name: `demo/k${at + 1}`, sameAs: 1 })),
  ];
}

/** The offset of the local header that is the content of the second entry. */
function insideSecond(): number {
  return forgeZip([honest]).readUInt32LE(forgeZip([honest]).length - 6) + 30 + "demo/q0".length;
}

const frame: readonly Attack[] = [
  attack("an entry that is not counted", [{ name: "demo/hidden" }], "layout", { count: 1 }),
  whole("an entry too many in the count", () => forgeZip([honest], { count: 2 }), "damaged"),
  whole("a directory that is longer than it says", () => forgeZip([honest], { directorySize: 3 }), "layout"),
  whole("a part of several", () => forgeZip([honest], { disk: 1 }), "layout"),
  whole(
    "an archive in the comment",
    () => forgeZip([{ ...honest, data: "OUTER" }], { comment: good() }),
    "layout",
  ),
  whole(
    "a comment that is not text",
    () => forgeZip([honest], { comment: Buffer.from([1, 2, 3]) }),
    "layout",
  ),
  whole(
    "a program before the archive",
    () => Buffer.concat([Buffer.from("#!/bin/sh\necho hi\n"), good()]),
    "format",
  ),
  whole("another archive before the archive", () => Buffer.concat([good(), good()]), "layout"),
  {
    name: "an entry before the archive that counts",
    make: () => forgeZip([honest], { before: forgeZip([{ name: "demo/first" }]) }),
    reason: "layout",
    entry: "demo/SKILL.md",
  },
  whole("bytes before the directory", () => forgeZip([honest], { gap: Buffer.from("hidden") }), "layout"),
  whole(
    "an end without a start",
    () => forgeZip([], { before: Buffer.from("PK\x03\x04hidden", "latin1") }),
    "layout",
  ),
  whole("bytes after the end", () => forgeZip([honest], { after: Buffer.alloc(100, 0x41) }), "layout"),
  whole("an archive that is cut off", () => good().subarray(0, -10), "damaged"),
  whole("an archive that is cut off early", () => good().subarray(0, 40), "damaged"),
  whole("an archive of nothing", () => forgeZip([]), "empty"),
  whole("an archive of folders", () => forgeZip([{ name: "demo/", data: "", mode: 0o040755 }]), "empty"),
  whole("an archive of leftovers", () => forgeZip([{ name: "__MACOSX/._x" }]), "empty"),
  whole("text", () => Buffer.from("hello"), "format"),
  whole("no bytes", () => Buffer.alloc(0), "format"),
  whole("a header and nothing else", () => Buffer.from("PK\x03\x04", "latin1"), "damaged"),
  whole(
    "large counts that disagree",
    () => withZip64End((record) => record.writeBigUInt64LE(2n, 32)),
    "layout",
  ),
  whole(
    "large records that disagree with the small one",
    () =>
      withZip64End((record) => {
        record.writeBigUInt64LE(2n, 24);
        record.writeBigUInt64LE(2n, 32);
      }),
    "mismatch",
  ),
  whole(
    "a large record that is elsewhere",
    () => withZip64End((_, locator) => locator.writeBigUInt64LE(0n, 8)),
    "layout",
  ),
  whole(
    "a large record that points nowhere",
    () => withZip64End((record) => record.writeBigUInt64LE(2n ** 60n, 48)),
    "layout",
  ),
  whole(
    "a large record of another length",
    () => withZip64End((record) => record.writeBigUInt64LE(45n, 4)),
    "layout",
  ),
  {
    name: "a directory that points outside",
    make: () => forgeZip([{ ...honest, start: 0xfffffff0 }]),
    reason: "layout",
    entry: "demo/SKILL.md",
  },
  {
    name: "a directory that points at no header",
    make: () => forgeZip([{ ...honest, start: 5 }]),
    reason: "layout",
    entry: "demo/SKILL.md",
  },
];

const named: readonly Attack[] = [
  ...badNames,
  ["a zero byte", "demo/a.md\0.png", "demo/a.md.png"] as const,
  ["a zero byte for a folder", "demo/\0/../../ESCAPE", "demo//../../ESCAPE"] as const,
].map(([title, name, shown]) => ({
  name: `${title} in a name`,
  make: () => forgeZip([honest, { name }]),
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

export const zipAttacks: readonly Attack[] = [...named, ...together, ...shape, ...weight, ...frame];
