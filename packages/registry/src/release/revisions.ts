import { normalizeRelative } from "@skillhold/core/bundle";
import { asResource, type ByteRange, type Resource, type SkillFile } from "@skillhold/core/library";
import type { Digest } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { fileRole } from "@skillhold/skill";
import { notFound } from "../ownership/ownership.ts";
import type { RegisteredSkill, Revision, TreeFile } from "../record/registered-skill.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import type { RegistryReader } from "../record/registry-store.ts";

/** By id or uid, including deleted skills. Contract: the caller has checked access. */
export async function getSkill(idOrUid: string, { store }: RegistryContext): Promise<RegisteredSkill> {
  const skill = await store.findSkill(idOrUid);
  if (skill === undefined) throw notFound(idOrUid);
  return skill;
}

/** Newest first. */
export async function listRevisions(idOrUid: string, context: RegistryContext): Promise<readonly Revision[]> {
  const { uid } = await getSkill(idOrUid, context);
  return await context.store.listRevisions(uid);
}

/** Without a number, returns the current revision. */
export async function getRevision(
  idOrUid: string,
  revision: number | undefined,
  context: RegistryContext,
): Promise<Revision> {
  const skill = await getSkill(idOrUid, context);
  return await getRevisionOf(skill, revision ?? skill.revision, context.store);
}

export async function getRevisionOf(
  { id, uid }: Pick<RegisteredSkill, "id" | "uid">,
  revision: number,
  reader: RegistryReader,
): Promise<Revision> {
  const isNumber = Number.isSafeInteger(revision) && revision > 0;
  const found = isNumber ? await reader.findRevision(uid, revision) : undefined;
  if (found !== undefined) return found;
  throw new SkillError("REVISION_NOT_FOUND", `The skill ${id} has no revision ${revision}.`, {
    details: { id, revision },
  });
}

/** Rejects a revision whose bytes were purged. */
export function rejectPurged({ revision, purgedAt }: Revision, id: string): void {
  if (purgedAt === undefined) return;
  throw new SkillError("REVISION_NOT_FOUND", `Revision ${revision} of ${id} was purged on ${purgedAt}.`, {
    hint: "Publish the skill again from its source.",
    details: { id, revision },
  });
}

export async function revisionFiles(
  idOrUid: string,
  revision: number | undefined,
  context: RegistryContext,
): Promise<readonly SkillFile[]> {
  const found = await getRevision(idOrUid, revision, context);
  rejectPurged(found, idOrUid);
  const files = await getTree(found.treeHash, context.store);
  return files.map((file) => ({ ...file, role: fileRole(file.path) }));
}

/** Throws INTEGRITY_FAILED if a referenced tree is missing. */
export async function getTree(hash: Digest, reader: RegistryReader): Promise<readonly TreeFile[]> {
  const files = await reader.findTree(hash);
  if (files !== undefined) return files;
  throw new SkillError("INTEGRITY_FAILED", `The tree ${hash} is missing from the store.`, {
    details: { hash },
  });
}

/** One file of a revision, or a part of it, in the form of `Library.resource`. */
export async function readRevisionFile(
  idOrUid: string,
  revision: number | undefined,
  path: string,
  range: ByteRange,
  context: RegistryContext,
): Promise<Resource> {
  const { limits, store } = context;
  const { start, length } = checkRange(range, limits.resourceReadBytes);
  const wanted = normalizeRelative(path, limits);
  const { treeHash, ...found } = await getRevision(idOrUid, revision, context);
  rejectPurged({ treeHash, ...found }, idOrUid);
  const file = (await getTree(treeHash, store)).find((each) => each.path === wanted);
  if (file === undefined)
    throw new SkillError("PATH_NOT_FOUND", `The revision has no file ${wanted}.`, {
      details: { path: wanted },
    });
  const bytes = await store.blobs.get(file.digest);
  const part = bytes.subarray(start, start + length);
  return asResource(wanted, start, { bytes: part, size: bytes.length, digest: file.digest, treeHash });
}

function checkRange({ start = 0, length }: ByteRange, max: number): Required<ByteRange> {
  const bounded = Math.min(length ?? max, max);
  if (Number.isSafeInteger(start) && Number.isSafeInteger(bounded) && start >= 0 && bounded >= 1)
    return { start, length: bounded };
  throw new SkillError("USAGE", "The range is invalid. Start at 0 or more and read at least 1 byte.");
}
