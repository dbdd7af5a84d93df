import { combineDigests } from "@skillhold/core/bundle";
import type { Digest } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { parseSkill } from "@skillhold/skill";
import type { BlobEntry } from "../record/blob-store.ts";
import type { TreeFile } from "../record/registered-skill.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import { describeSkill, findSkillFile } from "../release/skill-file.ts";
import { allTrees, proposedTrees, publishedSince } from "../release/sweep.ts";
import type { FsckFindings } from "./fsck-finding.ts";
import type { NamingRevision } from "./fsck-skill.ts";

export interface CheckedTrees {
  readonly count: number;
  /** The blobs that trees refer to, with their sizes. */
  readonly named: ReadonlyMap<Digest, number>;
}

/** Checks that each tree matches its hash and that each revision matches its tree. */
export async function checkTrees(
  revisions: ReadonlyMap<Digest, readonly NamingRevision[]>,
  since: number,
  findings: FsckFindings,
  context: RegistryContext,
): Promise<CheckedTrees> {
  const { store } = context;
  const named = new Map<Digest, number>();
  const unnamed: Digest[] = [];
  const found = new Set<Digest>();
  for await (const { hash, files } of allTrees(store)) {
    found.add(hash);
    for (const { digest, size } of files) named.set(digest, size);
    if (combineDigests(files) !== hash)
      findings.add("TREE_DAMAGED", hash, "The files of the tree do not match its hash.");
    else
      for (const naming of revisions.get(hash) ?? []) await checkRevision(naming, files, findings, context);
    if (!revisions.has(hash)) unnamed.push(hash);
  }
  const published = unnamed.length === 0 ? undefined : await publishedSince(since, store);
  const proposed = unnamed.length === 0 ? undefined : await proposedTrees(store);
  for (const hash of unnamed)
    if (published?.has(hash) !== true && proposed?.has(hash) !== true)
      findings.add("TREE_ORPHAN", hash, "No revision refers to this tree.");
  for (const [hash, naming] of revisions)
    if (!found.has(hash) && (await isMissing(hash, naming, context)))
      findings.add(
        "TREE_MISSING",
        hash,
        `The tree is missing. It is needed by ${naming.map(subjectOf).join(", ")}.`,
      );
  return { count: found.size, named };
}

function subjectOf({ id, revision }: NamingRevision): string {
  return `${id}@${revision.revision}`;
}

/** A tree may have been purged since the revisions were read. */
async function isMissing(
  hash: Digest,
  naming: readonly NamingRevision[],
  { store }: RegistryContext,
): Promise<boolean> {
  if ((await store.findTree(hash)) !== undefined) return false;
  const now = await Promise.all(
    naming.map(({ revision }) => store.findRevision(revision.skill, revision.revision)),
  );
  return now.some((revision) => revision !== undefined && revision.purgedAt === undefined);
}

async function checkRevision(
  naming: NamingRevision,
  files: readonly TreeFile[],
  findings: FsckFindings,
  { store, limits }: RegistryContext,
): Promise<void> {
  const { revision } = naming;
  const subject = subjectOf(naming);
  const file = findSkillFile(files);
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (file?.digest !== revision.skillHash || revision.record.skillHash !== revision.skillHash)
    findings.add("REVISION_MISMATCH", subject, "The SKILL.md hash differs from the tree.");
  else if (bytes !== revision.bytes || files.length !== revision.files)
    findings.add("REVISION_MISMATCH", subject, "The number of files or bytes differs from the tree.");
  if (file === undefined) return;
  // Unreadable bytes are reported by `checkBlobs`.
  const text = await store.blobs.get(file.digest).catch(ignoreDamage);
  if (text === undefined) return;
  const skill = parseSkill(text, limits);
  // Stored ids are valid.
  const id = naming.id as Parameters<typeof describeSkill>[0];
  const paths = files.map(({ path }) => path);
  const { name, description, version } = describeSkill(id, skill, text, paths, limits);
  const { record } = revision;
  if (name !== record.name || description !== record.description || version !== revision.version)
    findings.add("RECORD_OUTDATED", subject, "The indexed fields differ from SKILL.md.");
}

function ignoreDamage(error: unknown): undefined {
  if (!(error instanceof SkillError) || error.code !== "INTEGRITY_FAILED") throw error;
}

/** How many blobs are read at a time. */
const READ = 8;

/** Reads all stored blobs and finds the ones that are missing. */
export async function checkBlobs(
  named: ReadonlyMap<Digest, number>,
  before: Date,
  findings: FsckFindings,
  { store }: RegistryContext,
): Promise<{ readonly blobs: number; readonly bytes: number }> {
  const missing = new Set(named.keys());
  let blobs = 0;
  let bytes = 0;
  const check = async ({ digest, size, putAt }: BlobEntry): Promise<void> => {
    const isNamed = missing.delete(digest) || named.has(digest);
    if (!isNamed && putAt < before) findings.add("BLOB_ORPHAN", digest, "No tree refers to this blob.");
    if (!isNamed) return;
    blobs += 1;
    bytes += size;
    const read = await store.blobs.get(digest).catch(ignoreDamage);
    if (read === undefined) findings.add("BLOB_DAMAGED", digest, "The bytes do not match the digest.");
    else if (read.length !== named.get(digest))
      findings.add("BLOB_DAMAGED", digest, "The size differs from the tree.");
  };
  let batch: BlobEntry[] = [];
  for await (const entry of store.blobs.list()) {
    batch.push(entry);
    if (batch.length < READ) continue;
    await Promise.all(batch.map(check));
    batch = [];
  }
  await Promise.all(batch.map(check));
  for (const digest of missing) {
    if ((await store.blobs.get(digest).catch(ignoreDamage)) === undefined)
      findings.add("BLOB_MISSING", digest, "A tree refers to this blob, but it is missing.");
  }
  return { blobs, bytes };
}
