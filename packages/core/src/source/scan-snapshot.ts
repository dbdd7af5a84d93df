import { crc32 } from "node:zlib";
import type { Limits } from "@skillhold/protocol/limits";
import { ruleTable, SKILL_FILE } from "@skillhold/skill";
import type { SourceScan } from "./scan.ts";
import { FolderRow, STAMP_NUMBERS, StoredFacts, type StoredRows, TIME_LENGTH } from "./scan-row.ts";

/** The format version. Changes with the stored data and with the rules that produced it. */
const FORMAT = `7:${crc32(JSON.stringify(ruleTable))}`;

interface Header {
  readonly format: string;
  /** The limits that applied to the facts. */
  readonly limits: string;
  readonly root: string;
  readonly count: number;
  readonly containers: SourceScan["containers"];
  readonly searchedMs: number;
  readonly problems: SourceScan["problems"];
  /** The byte length of the names, which precede the facts. */
  readonly nameBytes: number;
  /** The file names of rows that spell SKILL.md in another way, by row. */
  readonly spellings: Readonly<Record<number, string>>;
}

/** The header length and a checksum of the rest. */
const PREFIX_BYTES = 8;

/**
 * A scan as bytes: a header; for each row four numbers, the end of its facts, a flag and a time as text; the names; the
 * facts as an array in JSON. A start decodes the times and the names, and no facts.
 */
export function encodeScan(scan: SourceScan, limits: Limits): Uint8Array {
  const { rows, root, containers, problems, searchedMs } = scan;
  const names = Buffer.from(rows.map(({ path }) => path).join("\n"));
  const facts = rows.map(({ factsText }) => factsText);
  const ends = new Uint32Array(rows.length);
  const stamps = new Float64Array(rows.length * STAMP_NUMBERS);
  let end = 0;
  for (const [index, { mtimeMs, ctimeMs, size, ino }] of rows.entries()) {
    end += 1 + (facts[index]?.length ?? 0);
    ends[index] = end;
    stamps.set([mtimeMs, ctimeMs, size, ino], index * STAMP_NUMBERS);
  }
  const validity = Uint8Array.from(rows, ({ isValid }) => (isValid ? 1 : 0));
  const spellings = Object.fromEntries(
    rows.flatMap(({ file }, index) => (file === SKILL_FILE ? [] : [[index, file]])),
  );
  const header: Header = {
    ...{ format: FORMAT, limits: JSON.stringify(limits), root, containers, problems, searchedMs },
    count: rows.length,
    nameBytes: names.length,
    spellings,
  };
  const head = Buffer.from(JSON.stringify(header));
  const content = Buffer.concat([
    head,
    Buffer.from(stamps.buffer),
    Buffer.from(ends.buffer),
    validity,
    Buffer.from(rows.map(({ lastModified }) => lastModified).join(""), "latin1"),
    names,
    Buffer.from(`[${facts.join(",")}]`, "latin1"),
  ]);
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32LE(head.length);
  prefix.writeUInt32LE(crc32(content), 4);
  return Buffer.concat([prefix, content]);
}

/** Decodes a scan; undefined when the bytes are damaged, of another format or from other limits. Never throws. */
export function decodeScan(bytes: Uint8Array, limits: Limits): SourceScan | undefined {
  try {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (crc32(buffer.subarray(PREFIX_BYTES)) !== buffer.readUInt32LE(4)) return undefined;
    const headEnd = PREFIX_BYTES + buffer.readUInt32LE(0);
    // The checksum matches, so `encodeScan` wrote this, perhaps in another format.
    const header = JSON.parse(buffer.toString("utf8", PREFIX_BYTES, headEnd)) as Header;
    if (header.format !== FORMAT || header.limits !== JSON.stringify(limits)) return undefined;
    const rows = decodeRows(buffer, headEnd, header);
    const { root, containers, problems, searchedMs } = header;
    return rows === undefined ? undefined : { root, rows, containers, problems, searchedMs };
  } catch {
    // The source is scanned again.
    return undefined;
  }
}

function decodeRows(
  buffer: Buffer,
  start: number,
  { count, nameBytes, spellings }: Header,
): readonly FolderRow[] | undefined {
  if (count === 0) return [];
  const endStart = start + count * STAMP_NUMBERS * 8;
  const flagStart = endStart + count * 4;
  const timeStart = flagStart + count;
  const nameStart = timeStart + count * TIME_LENGTH;
  const stored: StoredRows = {
    stamps: new Float64Array(copy(buffer, start, endStart)),
    validity: buffer.subarray(flagStart, timeStart),
    times: buffer.toString("latin1", timeStart, nameStart),
    facts: new StoredFacts(
      buffer.subarray(nameStart + nameBytes),
      new Uint32Array(copy(buffer, endStart, flagStart)),
    ),
  };
  const names = buffer.toString("utf8", nameStart, nameStart + nameBytes).split("\n");
  if (names.length !== count) return undefined;
  return names.map((path, index) => new FolderRow(path, spellings[index] ?? SKILL_FILE, stored, index));
}

/** A copy, because typed arrays need an aligned offset. */
function copy(buffer: Buffer, start: number, end: number): ArrayBuffer {
  return new Uint8Array(buffer.subarray(start, end)).buffer;
}
