import { crc32, deflateRawSync } from "node:zlib";

/** An entry of a forged ZIP. Missing fields get the value that an honest writer would use. */
export interface ForgedEntry {
  readonly name: string | Buffer;
  readonly data?: string | Buffer;
  readonly method?: number;
  /** The data as stored in the archive. */
  readonly packed?: Buffer;
  readonly mode?: number;
  readonly attributes?: number;
  readonly madeBy?: number;
  readonly flags?: number;
  readonly extra?: Buffer;
  readonly comment?: string;
  readonly checksum?: number;
  readonly size?: number;
  readonly packedSize?: number;
  /** What the local header says instead. */
  readonly local?: {
    readonly name?: string | Buffer;
    readonly flags?: number;
    readonly method?: number;
    readonly checksum?: number;
    readonly size?: number;
    readonly packedSize?: number;
    readonly extra?: Buffer;
  };
  /** What follows the data. */
  readonly descriptor?: Buffer;
  /** The directory points to the local header of the entry with this number; this entry has no local header. */
  readonly sameAs?: number;
  /** The directory points here. */
  readonly start?: number;
}

export interface ForgedZip {
  readonly count?: number;
  readonly comment?: Buffer;
  readonly before?: Buffer;
  readonly after?: Buffer;
  /** Bytes between the entries and the directory. */
  readonly gap?: Buffer;
  readonly disk?: number;
  readonly directorySize?: number;
}

export function forgeZip(entries: readonly ForgedEntry[], options: ForgedZip = {}): Buffer {
  const parts: Buffer[] = [options.before ?? Buffer.alloc(0)];
  const directory: Buffer[] = [];
  const starts: number[] = [];
  let at = parts[0]?.length ?? 0;
  for (const entry of entries) {
    const start = entry.sameAs === undefined ? at : (starts[entry.sameAs] ?? 0);
    if (entry.sameAs === undefined) {
      const local = localPart(entry);
      parts.push(local);
      at += local.length;
    }
    starts.push(start);
    directory.push(directoryPart(entry, entry.start ?? start));
  }
  const gap = options.gap ?? Buffer.alloc(0);
  const records = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  const count = Math.min(options.count ?? entries.length, 0xffff);
  const comment = options.comment ?? Buffer.alloc(0);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(options.disk ?? 0, 4);
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(options.directorySize ?? records.length, 12);
  end.writeUInt32LE(at + gap.length, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...parts, gap, records, end, comment, options.after ?? Buffer.alloc(0)]);
}

interface Filled {
  readonly name: Buffer;
  readonly packed: Buffer;
  readonly method: number;
  readonly flags: number;
  readonly checksum: number;
  readonly size: number;
  readonly packedSize: number;
  readonly extra: Buffer;
}

function fill(entry: ForgedEntry): Filled {
  const data = Buffer.from(entry.data ?? "canary");
  const method = entry.method ?? 0;
  const packed = entry.packed ?? (method === 8 ? deflateRawSync(data) : data);
  return {
    name: Buffer.from(entry.name),
    packed,
    method,
    flags: entry.flags ?? 0x800,
    checksum: entry.checksum ?? crc32(data),
    size: entry.size ?? data.length,
    packedSize: entry.packedSize ?? packed.length,
    extra: entry.extra ?? Buffer.alloc(0),
  };
}

function localPart(entry: ForgedEntry): Buffer {
  const filled = fill(entry);
  const local = { ...filled, ...entry.local };
  const name = Buffer.from(local.name);
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(20, 4);
  header.writeUInt16LE(local.flags, 6);
  header.writeUInt16LE(local.method, 8);
  header.writeUInt32LE(local.checksum, 14);
  header.writeUInt32LE(local.packedSize, 18);
  header.writeUInt32LE(local.size, 22);
  header.writeUInt16LE(name.length, 26);
  header.writeUInt16LE(local.extra.length, 28);
  return Buffer.concat([header, name, local.extra, filled.packed, entry.descriptor ?? Buffer.alloc(0)]);
}

function directoryPart(entry: ForgedEntry, start: number): Buffer {
  const { name, method, flags, checksum, size, packedSize, extra } = fill(entry);
  const comment = Buffer.from(entry.comment ?? "");
  const record = Buffer.alloc(46);
  record.writeUInt32LE(0x02014b50, 0);
  record.writeUInt16LE(entry.madeBy ?? 0x031e, 4);
  record.writeUInt16LE(20, 6);
  record.writeUInt16LE(flags, 8);
  record.writeUInt16LE(method, 10);
  record.writeUInt32LE(checksum, 16);
  record.writeUInt32LE(packedSize, 20);
  record.writeUInt32LE(size, 24);
  record.writeUInt16LE(name.length, 28);
  record.writeUInt16LE(extra.length, 30);
  record.writeUInt16LE(comment.length, 32);
  record.writeUInt32LE(entry.attributes ?? ((entry.mode ?? 0o100644) << 16) >>> 0, 38);
  record.writeUInt32LE(start, 42);
  return Buffer.concat([record, name, extra, comment]);
}

/** An extra field of a ZIP header. */
export function extraField(id: number, data: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt16LE(id, 0);
  head.writeUInt16LE(data.length, 2);
  return Buffer.concat([head, data]);
}

/** What a writer that cannot go back puts after the data. */
export function descriptorOf(
  data: string | Buffer,
  packedSize: number,
  form: { readonly isSigned?: boolean; readonly isLong?: boolean } = {},
): Buffer {
  const bytes = Buffer.from(data);
  const { isSigned = true, isLong = false } = form;
  const values = Buffer.alloc(isLong ? 20 : 12);
  values.writeUInt32LE(crc32(bytes), 0);
  if (isLong) {
    values.writeBigUInt64LE(BigInt(packedSize), 4);
    values.writeBigUInt64LE(BigInt(bytes.length), 12);
  } else {
    values.writeUInt32LE(packedSize, 4);
    values.writeUInt32LE(bytes.length, 8);
  }
  return isSigned ? Buffer.concat([Buffer.from("PK\x07\x08", "latin1"), values]) : values;
}

/** A header of a forged tar and what follows it. */
export interface ForgedBlock {
  readonly name: string | Buffer;
  readonly data?: string | Buffer;
  readonly type?: string;
  readonly mode?: string;
  readonly link?: string;
  readonly prefix?: string;
  readonly magic?: string;
  /** The bytes of the field, for a size that is not that of the data. */
  readonly size?: string;
  readonly checksum?: string;
}

export function forgeTar(blocks: readonly ForgedBlock[], end: Buffer = Buffer.alloc(1024)): Buffer {
  return Buffer.concat([...blocks.map(forgeBlock), end]);
}

function forgeBlock(block: ForgedBlock): Buffer {
  const data = Buffer.from(block.data ?? (block.type === undefined || block.type === "0" ? "canary" : ""));
  const header = Buffer.alloc(512);
  Buffer.from(block.name).copy(header, 0, 0, 100);
  header.write(block.mode ?? "0000644\0", 100, "latin1");
  header.write("0000000\0", 108, "latin1");
  header.write("0000000\0", 116, "latin1");
  header.write(block.size ?? `${data.length.toString(8).padStart(11, "0")}\0`, 124, "latin1");
  header.write("00000000000\0", 136, "latin1");
  header.write(block.type ?? "0", 156, "latin1");
  header.write(block.link ?? "", 157, "utf8");
  header.write(block.magic ?? "ustar\x0000", 257, "latin1");
  header.write(block.prefix ?? "", 345, "utf8");
  header.write(block.checksum ?? checksumOf(header), 148, "latin1");
  return Buffer.concat([header, data, Buffer.alloc((512 - (data.length % 512)) % 512)]);
}

/** The field of a tar header that holds the sum of its bytes. */
export function checksumOf(header: Buffer): string {
  const sum = header.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 0x20 : byte), 0);
  return `${sum.toString(8).padStart(6, "0")}\0 `;
}

/** A pax header for the next entry, or with the type `g` for all. */
export function pax(records: Readonly<Record<string, string>>, type = "x"): ForgedBlock {
  return { name: "PaxHeader", type, data: Buffer.concat(Object.entries(records).map(paxRecord)) };
}

function paxRecord([key, value]: readonly [string, string]): Buffer {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + 1;
  while (String(length).length + rest !== length) length += 1;
  return Buffer.from(`${length} ${key}=${value}\n`);
}

/** Deflate data of this many megabytes of zeros, a thousandth as long, made without compressing them all. */
export function zeros(megabytes: number): Buffer {
  const piece = deflateRawSync(Buffer.alloc(1024 * 1024), { finishFlush: 3 });
  return Buffer.concat([...Array.from({ length: megabytes }, () => piece), Buffer.from([3, 0])]);
}
