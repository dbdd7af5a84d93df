import type { SkillContent, SkillFile } from "@skillhold/core/library";
import type { Digest, SkillEntry } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { getRevision, revisionFiles } from "@skillhold/registry/release";
import { parseSkill } from "@skillhold/skill";
import type { Principal } from "../auth/principal.ts";
import type { PackedFile } from "../cache/content-cache.ts";
import type { RunningContext } from "../running-context.ts";
import { allowedRevision, type DisclosedSkill } from "./disclosed-skill.ts";
import { noSkill } from "./skill-key.ts";

/** The parts of the context that read content. Only content routes and public pages have them. */
type ContentPorts = Pick<RunningContext, "registry" | "library" | "skills">;

/** The instructions of a skill and the list of its files. */
export type DisclosedContent = Pick<
  SkillContent,
  "entry" | "body" | "frontmatter" | "treeHash" | "skillHash" | "files"
>;

/** The files of one revision of a skill. */
export interface FileList {
  readonly files: readonly SkillFile[];
  readonly treeHash: Digest;
  readonly revision: number | undefined;
}

/** Reads a visible skill through the gate. Managers of a hidden skill read its current revision. */
export async function readContent(skill: DisclosedSkill, context: ContentPorts): Promise<DisclosedContent> {
  const { access, viewer, from, key } = skill;
  // Responses name no folders.
  if (access.isVisible)
    return await withKey(key, context[from].read(viewer, access.entry.id, { hasFolder: false }));
  if (skill.held === undefined) throw hiddenInFolder(access.entry);
  return await readCurrent(access.entry, skill.held.current.skill.uid, context);
}

/** The files of the requested revision. Throws REVISION_NOT_FOUND when the caller may not see it. */
export async function readFileList(
  skill: DisclosedSkill,
  wanted: number | undefined,
  context: ListPorts,
): Promise<FileList> {
  const { entry, isVisible } = skill.access;
  if (isVisible && (wanted === undefined || wanted === entry.revision)) {
    const list = await withKey(skill.key, context.fileList(skill.from, skill.viewer, entry.id));
    if (wanted === undefined || list.revision === wanted) return list;
  }
  if (skill.held === undefined && wanted === undefined) throw hiddenInFolder(entry);
  const number = allowedRevision(skill, wanted);
  const uid = skill.held?.current.skill.uid ?? "";
  const { treeHash, revision } = await getRevision(uid, number, context.registry);
  return { files: await revisionFiles(uid, number, context.registry), treeHash, revision };
}

type ListPorts = Pick<RunningContext, "registry" | "fileList">;

async function readCurrent(
  entry: SkillEntry,
  uid: string,
  { registry }: ContentPorts,
): Promise<DisclosedContent> {
  const { treeHash, skillHash, frontmatter } = await getRevision(uid, entry.revision, registry);
  const files = await revisionFiles(uid, entry.revision, registry);
  const { body } = parseSkill(await registry.store.blobs.get(skillHash), registry.limits);
  return { entry, body, frontmatter, treeHash, skillHash, files };
}

/** A skill that disappears during the request gives an error that names the caller's key. */
async function withKey<T>(key: string, read: Promise<T>): Promise<T> {
  return await read.catch((error: unknown) => {
    throw error instanceof SkillError && error.code === "SKILL_NOT_FOUND" ? noSkill(key) : error;
  });
}

function hiddenInFolder({ id }: SkillEntry): SkillError {
  return new SkillError("NOT_READY", `The skill ${id} is in a folder of the gateway and is hidden.`, {
    hint: "GET /v1/explain gives the reason. Read its files in the folder.",
    details: { id },
  });
}

/** The fields of a skill that reading its bytes needs. */
export type ReadableSkill = Pick<DisclosedSkill, "held" | "access" | "viewer" | "from">;

/** Reads one file. The bytes have the size and the digest of the list. */
export async function readFileBytes(
  skill: ReadableSkill,
  { path, digest, size }: SkillFile,
  context: ContentPorts,
): Promise<Uint8Array<ArrayBuffer>> {
  if (skill.held !== undefined) return new Uint8Array(await context.registry.store.blobs.get(digest));
  const library = context[skill.from];
  const bytes = new Uint8Array(size);
  for (let start = 0; start < size; ) {
    const part = await library.resource(skill.viewer, skill.access.entry.id, path, { start });
    if (part.digest !== digest || part.length === 0) throw changed(path);
    bytes.set(Buffer.from(part.content, part.encoding), start);
    start += part.length;
  }
  return bytes;
}

/** Reads one file of the registry through the cache. Contract: callers do not write to the bytes. */
export async function readCachedBytes(
  skill: ReadableSkill,
  file: SkillFile,
  context: ContentPorts & Pick<RunningContext, "fileBytes">,
): Promise<Uint8Array<ArrayBuffer>> {
  const read = () => readFileBytes(skill, file, context);
  return skill.held === undefined ? await read() : await context.fileBytes.get(file.digest, read);
}

/** Reads all files for an archive with SKILL.md at its root. */
export async function packFiles(
  skill: ReadableSkill,
  files: readonly SkillFile[],
  context: ContentPorts,
): Promise<readonly PackedFile[]> {
  const packed: PackedFile[] = [];
  for (const file of files) {
    const { path, executable } = file;
    packed.push({ path, executable, content: await readFileBytes(skill, file, context) });
  }
  return packed;
}

/** Reading a smaller file costs less than waiting at the gate. */
const LARGE_BYTES = 1024 * 1024;

export function isLarge({ size }: Pick<SkillFile, "size">): boolean {
  return size >= LARGE_BYTES;
}

interface Reader {
  readonly principal: Principal;
  readonly signal: AbortSignal;
}

/**
 * Reads a large file behind the gate for expensive work, and ends with the reader's token. A range costs as much as the
 * whole file, because the digest covers all of it.
 */
export async function readGated<T>(
  { size }: Pick<SkillFile, "size">,
  reader: Reader,
  read: () => Promise<T>,
  { gates, calls }: Pick<RunningContext, "gates" | "calls">,
): Promise<T> {
  if (!isLarge({ size })) return await read();
  // The signal is created on first access, and small files do not need it.
  const { principal, signal } = reader;
  return await calls.run(principal, signal, (ending) => gates.heavy.pass(principal.token, read, ending));
}

function changed(path: string): SkillError {
  return new SkillError("IO_FAILED", `${path} changed while it was read.`, {
    hint: "Retry when the skill's folder is not being changed.",
    details: { path },
  });
}
