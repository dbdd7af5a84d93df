import { rejectArchive } from "./rejection.ts";
import type { TarBlock } from "./tar-block.ts";

/** Records that affect neither the path nor the content. */
const HARMLESS_KEY =
  /^(?:comment|[acm]time|[ug]id|[ug]name|(?:SCHILY|LIBARCHIVE)\.(?:acl|xattr)\..+|SCHILY\.(?:dev|ino|nlink|fflags)|LIBARCHIVE\.creationtime|RHT\.security\.selinux)$/;

/**
 * Rejects unsafe extensions in a tar and yields the entries. An entry may have one extension, which may set only its
 * name. A global extension may not set a name; git archives use one to store the commit.
 */
export async function* rejectExtensions(blocks: AsyncIterable<TarBlock>): AsyncGenerator<TarBlock> {
  let extension: TarBlock | undefined;
  for await (const block of blocks) {
    const isEntry = block.kind === "file" || block.kind === "folder";
    if (extension !== undefined && !isEntry)
      throw rejectArchive("extension", "is not followed by an entry", extension.name);
    if (!isEntry) rejectContent(block);
    if (isEntry) yield block;
    extension = block.kind === "pax" || block.kind === "long-name" ? block : undefined;
  }
  if (extension !== undefined)
    throw rejectArchive("extension", "is not followed by an entry", extension.name);
}

function rejectContent({ kind, name, content }: TarBlock): void {
  if (kind === "long-name") {
    const end = content.indexOf(0);
    const isName = content.length > 0 && (end === -1 || end === content.length - 1);
    if (!isName) throw rejectArchive("extension", "has an invalid long name", name);
    return;
  }
  // tar-stream's behavior after such a header depends on its buffering.
  if (content.length === 0) throw rejectArchive("extension", "is an empty pax header", name);
  const keys = new Set<string>();
  for (const { key, isEmpty } of readRecords(content, name)) {
    const isAllowed = HARMLESS_KEY.test(key) || (key === "path" && kind === "pax" && !isEmpty);
    if (!isAllowed)
      throw rejectArchive("extension", `has ${JSON.stringify(key.slice(0, 64))} in a pax header`, name);
    if (keys.has(key))
      throw rejectArchive("extension", `has ${JSON.stringify(key.slice(0, 64))} twice in a pax header`, name);
    keys.add(key);
  }
}

interface PaxRecord {
  readonly key: string;
  readonly isEmpty: boolean;
}

/** A record is `<length> <key>=<value>` and a line feed. Readers differ in how they continue after a damaged one. */
function* readRecords(bytes: Buffer, entry: string): Generator<PaxRecord> {
  for (let at = 0; at < bytes.length; ) {
    const digits = /^[1-9][0-9]{0,6}(?= )/.exec(bytes.toString("latin1", at, at + 8))?.[0] ?? "";
    const start = at + digits.length + 1;
    const end = at + Number(digits);
    const equals = bytes.indexOf(0x3d, start);
    const isWhole = equals > start && equals < end && end <= bytes.length && bytes[end - 1] === 0x0a;
    if (!isWhole) throw rejectArchive("damaged", "has a damaged pax header", entry);
    yield { key: bytes.toString("utf8", start, equals), isEmpty: equals + 2 === end };
    at = end;
  }
}
