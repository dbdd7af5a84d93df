import { crc32 } from "node:zlib";
import type { Limits } from "@skillhold/protocol/limits";
import type { Container, Scan } from "./scan.ts";
import { ScanRow } from "./scan-row.ts";

/** Changes with the meaning of what is stored; a snapshot of another format is not read. */
const FORMAT = 1;

interface Header {
  readonly format: number;
  /** The limits that the records were made under. */
  readonly limits: string;
  readonly root: string;
  readonly count: number;
  readonly containers: readonly Container[];
  readonly problems: Scan["problems"];
  /** Bytes of the names, which stand before the records. */
  readonly nameBytes: number;
}

const STAMP_NUMBERS = 4;
/** The length of the header, and a checksum of what follows. */
const PREFIX_BYTES = 8;

/**
 * A scan as bytes: a header, four numbers a row, the names, and the records as lines of JSON. It is laid out so that
 * a start needs two strings and no parsing of records.
 */
export function encodeScan(scan: Scan, limits: Limits): Uint8Array {
  const { rows } = scan;
  const names = Buffer.from(
    rows.map(({ path, file, isValid }) => `${path}\0${file}\0${isValid ? 1 : 0}`).join("\n"),
  );
  const { root, containers, problems } = scan;
  const header: Header = {
    format: FORMAT,
    limits: JSON.stringify(limits),
    root,
    count: rows.length,
    containers,
    problems,
    nameBytes: names.length,
  };
  const head = Buffer.from(JSON.stringify(header));
  const stamps = new Float64Array(
    rows.flatMap(({ mtimeMs, ctimeMs, size, ino }) => [mtimeMs, ctimeMs, size, ino]),
  );
  const records = Buffer.from(rows.map((row) => row.recordText).join("\n"));
  const content = Buffer.concat([head, Buffer.from(stamps.buffer), names, records]);
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32LE(head.length);
  prefix.writeUInt32LE(crc32(content), 4);
  return Buffer.concat([prefix, content]);
}

/** The scan, or undefined when the bytes are damaged, of another format, or made under other limits. Never throws. */
export function decodeScan(bytes: Uint8Array, limits: Limits): Scan | undefined {
  try {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (crc32(buffer.subarray(PREFIX_BYTES)) !== buffer.readUInt32LE(4)) return undefined;
    const headEnd = PREFIX_BYTES + buffer.readUInt32LE(0);
    // A wrong header fails one of the checks below, or the reading itself.
    const header = JSON.parse(buffer.toString("utf8", PREFIX_BYTES, headEnd)) as Header;
    if (header.format !== FORMAT || header.limits !== JSON.stringify(limits)) return undefined;
    const rows = decodeRows(buffer, headEnd, header);
    const { root, containers, problems } = header;
    return rows === undefined ? undefined : { root, rows, containers, problems };
  } catch {
    // Whatever the damage, the source is read again.
    return undefined;
  }
}

function decodeRows(
  buffer: Buffer,
  start: number,
  { count, nameBytes }: Header,
): readonly ScanRow[] | undefined {
  if (count === 0) return [];
  const nameStart = start + count * STAMP_NUMBERS * 8;
  const recordStart = nameStart + nameBytes;
  const stamps = new Float64Array(new Uint8Array(buffer.subarray(start, nameStart)).buffer);
  const names = buffer.toString("utf8", nameStart, recordStart).split("\n");
  const records = buffer.toString("utf8", recordStart).split("\n");
  if (names.length !== count || records.length !== count) return undefined;
  return names.map((name, index) => {
    const at = index * STAMP_NUMBERS;
    const [path = "", file = "", valid = ""] = name.split("\0");
    const stamp = {
      mtimeMs: stamps[at] ?? 0,
      ctimeMs: stamps[at + 1] ?? 0,
      size: stamps[at + 2] ?? 0,
      ino: stamps[at + 3] ?? 0,
    };
    return new ScanRow(path, file, valid === "1", stamp, records[index] ?? "");
  });
}
