import type { SkillContent, SkillFile } from "@skillhold/core/library";
import type { Digest, SkillEntry } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { getRevision, revisionFiles } from "@skillhold/registry/release";
import { parseSkill } from "@skillhold/skill";
import type { GatewayContext } from "../gateway-context.ts";
import type { RunningContext } from "../running-context.ts";
import { allowedRevision, type KnownSkill } from "./known-skill.ts";
import { noSkill } from "./skill-key.ts";

type Reading = Pick<GatewayContext, "registry">;

/** The text of a skill and the list of its files. */
export type KnownContent = Pick<
  SkillContent,
  "entry" | "body" | "frontmatter" | "treeHash" | "skillHash" | "files"
>;

/** A list of files, and which state of the skill they are of. */
export interface KnownFiles {
  readonly files: readonly SkillFile[];
  readonly treeHash: Digest;
  readonly revision: number | undefined;
}

/** Through the gate for those to whom it is open; those who manage what is hidden read what counts of it. */
export async function readContent(known: KnownSkill, context: Reading): Promise<KnownContent> {
  const { access, viewer, library, key } = known;
  if (access.isVisible) return await asNamed(key, library.read(viewer, access.entry.id));
  if (known.held === undefined) throw hiddenInFolder(access.entry);
  return await readCurrent(access.entry, known.held.current.skill.uid, context);
}

/** The files of the revision that is asked for, if it is there for the one who asks. */
export async function readFiles(
  known: KnownSkill,
  wanted: number | undefined,
  context: Reading,
): Promise<KnownFiles> {
  const { entry, isVisible } = known.access;
  if (isVisible && (wanted === undefined || wanted === entry.revision)) {
    const content = await readContent(known, context);
    if (wanted === undefined || content.entry.revision === wanted)
      return { files: content.files, treeHash: content.treeHash, revision: content.entry.revision };
  }
  if (known.held === undefined && wanted === undefined) throw hiddenInFolder(entry);
  const number = allowedRevision(known, wanted);
  const uid = known.held?.current.skill.uid ?? "";
  const { treeHash, revision } = await getRevision(uid, number, context.registry);
  return { files: await revisionFiles(uid, number, context.registry), treeHash, revision };
}

async function readCurrent(entry: SkillEntry, uid: string, { registry }: Reading): Promise<KnownContent> {
  const { treeHash, skillHash, frontmatter } = await getRevision(uid, entry.revision, registry);
  const files = await revisionFiles(uid, entry.revision, registry);
  const { body } = parseSkill(await registry.store.blobs.get(skillHash), registry.limits);
  return { entry, body, frontmatter, treeHash, skillHash, files };
}

/** What went away between the question and the answer is refused by the name that it was asked for by. */
async function asNamed<T>(key: string, read: Promise<T>): Promise<T> {
  return await read.catch((error: unknown) => {
    throw error instanceof SkillError && error.code === "SKILL_NOT_FOUND" ? noSkill(key) : error;
  });
}

function hiddenInFolder({ id }: SkillEntry): SkillError {
  return new SkillError("NOT_READY", `The skill ${id} lies in a folder of the gateway's and is hidden.`, {
    hint: "GET /v1/explain says why; its files are in its folder.",
    details: { id },
  });
}

/** Where the bytes of a skill are. */
export type Holder = Pick<KnownSkill, "held" | "access" | "viewer" | "library">;

/** The bytes of one file of it, whole and with the digest that its list says. */
export async function readBytes(
  known: Holder,
  { path, digest, size }: SkillFile,
  { registry }: Reading,
): Promise<Uint8Array<ArrayBuffer>> {
  if (known.held !== undefined) return new Uint8Array(await registry.store.blobs.get(digest));
  const bytes = new Uint8Array(size);
  for (let start = 0; start < size; ) {
    const part = await known.library.resource(known.viewer, known.access.entry.id, path, { start });
    if (part.digest !== digest || part.length === 0) throw changed(path);
    bytes.set(Buffer.from(part.content, part.encoding), start);
    start += part.length;
  }
  return bytes;
}

/** The same from memory, where a small file of the registry was read before. Contract: nobody writes to them. */
export async function readKept(
  known: Holder,
  file: SkillFile,
  context: Reading & Pick<RunningContext, "blobs">,
): Promise<Uint8Array<ArrayBuffer>> {
  const read = () => readBytes(known, file, context);
  return known.held === undefined ? await read() : await context.blobs.get(file.digest, read);
}

function changed(path: string): SkillError {
  return new SkillError("IO_FAILED", `${path} changed while it was being read.`, {
    hint: "Try again when nothing writes to the skill's folder.",
    details: { path },
  });
}
