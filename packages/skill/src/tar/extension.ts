/** Records that affect neither the path nor the content. */
const HARMLESS_KEY =
  /^(?:comment|[acm]time|[ug]id|[ug]name|(?:SCHILY|LIBARCHIVE)\.(?:acl|xattr)\..+|SCHILY\.(?:dev|ino|nlink|fflags)|LIBARCHIVE\.creationtime|RHT\.security\.selinux)$/;

/** Why a tar is rejected. */
export type TarProblem = "format" | "damaged" | "layout" | "checksum" | "type" | "size" | "extension";

/** Makes the error for the entry that is read. */
export type RejectEntry = (problem: TarProblem, message: string) => Error;

// A byte order mark is part of a name.
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** GNU's extension: the name, and at most one NUL at its end. */
export function readLongName(content: Uint8Array, reject: RejectEntry): string {
  const end = content.indexOf(0);
  const isName = content.length > 0 && (end === -1 || end === content.length - 1);
  if (!isName) throw reject("extension", "has an invalid long name");
  return utf8.decode(end === -1 ? content : content.subarray(0, end));
}

/** The path that a pax header sets, if any. Rejects records that change how an entry is read. */
export function readPaxPath(content: Uint8Array, isGlobal: boolean, reject: RejectEntry): string | undefined {
  // tar-stream's behavior after such a header depends on its buffering.
  if (content.length === 0) throw reject("extension", "is an empty pax header");
  const records = new Map<string, string>();
  for (const { key, value } of readRecords(content, reject)) {
    const isAllowed = HARMLESS_KEY.test(key) || (key === "path" && !isGlobal && value !== "");
    if (!isAllowed) throw reject("extension", `has ${JSON.stringify(key.slice(0, 64))} in a pax header`);
    if (records.has(key))
      throw reject("extension", `has ${JSON.stringify(key.slice(0, 64))} twice in a pax header`);
    records.set(key, value);
  }
  return records.get("path");
}

interface PaxRecord {
  readonly key: string;
  readonly value: string;
}

/** A record is `<length> <key>=<value>` and a line feed. Readers differ in how they continue after a damaged one. */
function* readRecords(bytes: Uint8Array, reject: RejectEntry): Generator<PaxRecord> {
  for (let at = 0; at < bytes.length; ) {
    const digits =
      /^[1-9][0-9]{0,6}(?= )/.exec(String.fromCharCode(...bytes.subarray(at, at + 8)))?.[0] ?? "";
    const start = at + digits.length + 1;
    const end = at + Number(digits);
    const equals = bytes.indexOf(0x3d, start);
    const isWhole = equals > start && equals < end && end <= bytes.length && bytes[end - 1] === 0x0a;
    if (!isWhole) throw reject("damaged", "has a damaged pax header");
    const value = utf8.decode(bytes.subarray(equals + 1, end - 1));
    yield { key: utf8.decode(bytes.subarray(start, equals)), value };
    at = end;
  }
}
