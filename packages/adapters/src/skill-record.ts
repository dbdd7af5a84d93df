import { Buffer } from "node:buffer";
import type { Session } from "@skillhold/core/session";
import { SkillError } from "@skillhold/protocol";
import { parseSkill } from "@skillhold/skill";

/** A whole skill as plain data, in the shape that most frameworks accept. */
export interface PortableSkill {
  readonly name: string;
  readonly description: string;
  /** The instructions: SKILL.md without its frontmatter. */
  readonly content: string;
  /** All other files. */
  readonly files: readonly PortableFile[];
}

export interface PortableFile {
  readonly path: string;
  readonly content: Uint8Array;
  readonly isExecutable: boolean;
}

/**
 * The skills of a session as data, or only those with the given ids. Every file is read through the session, so each
 * read is on record. A framework that gets a copy enforces `allowed-tools` itself, or not at all.
 */
export async function skillRecords(
  session: Session,
  ids?: readonly string[],
): Promise<readonly PortableSkill[]> {
  const entries = await session.list();
  const wanted = ids === undefined ? entries : entries.filter(({ id }) => ids.includes(id));
  const records: PortableSkill[] = [];
  for (const { id, description } of wanted) {
    const files = await readFiles(session, id);
    const main = files.find(({ path }) => path === "SKILL.md");
    const content = parseSkill(main?.content ?? "").body;
    records.push({ name: id, description, content, files: files.filter((file) => file !== main) });
  }
  return records;
}

const MOST_READS = 3;

/** All files of one content of a skill. An edit during the reads starts them again. */
export async function readFiles(session: Session, id: string): Promise<readonly PortableFile[]> {
  for (let reads = 0; reads < MOST_READS; reads += 1) {
    const hashes = new Set<string>();
    const files: PortableFile[] = [];
    for (const { path, executable } of await session.files(id)) {
      const parts: Buffer[] = [];
      for (let start = 0, hasMore = true; hasMore; ) {
        const part = await session.resource(id, path, { start });
        hashes.add(part.treeHash);
        parts.push(Buffer.from(part.content, part.encoding));
        start = part.start + part.length;
        hasMore = part.hasMore;
      }
      files.push({ path, content: Buffer.concat(parts), isExecutable: executable });
    }
    if (hashes.size <= 1) return files;
  }
  throw new SkillError("CONFLICT", `The skill ${id} changed during each of ${MOST_READS} reads.`, {
    hint: "Try again when the author has finished.",
  });
}
