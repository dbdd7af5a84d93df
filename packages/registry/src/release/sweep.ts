import type { Digest, SkillEvent } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { treeLock, UNNAMED_BLOBS } from "../record/lock.ts";
import { isOpen, type Proposal } from "../record/proposal.ts";
import type { RegisteredSkill } from "../record/registered-skill.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import type {
  RegistryReader,
  RegistryStore,
  RegistryTransaction,
  StoredTree,
} from "../record/registry-store.ts";

export interface SweepOptions {
  /** The minimum age of unreferenced bytes before they are removed; at least one hour. */
  readonly graceMs?: number;
}

/** The number of removed items. */
export interface Swept {
  readonly trees: number;
  readonly blobs: number;
  /** Files left by crashed writers. */
  readonly leftovers: number;
}

/**
 * Longer than a publisher needs between putting blobs and referencing them, so that it seldom has to put them
 * again.
 */
export const SWEEP_GRACE_MS = 60 * 60 * 1000;

/**
 * Removes trees that no revision with bytes and no proposal refers to, and blobs that no tree refers to, while others
 * publish.
 *
 * Trees: a publisher holds the lock of a tree and appends an event, so the events since the scan show whether
 * the tree is referenced again. Blobs: a publisher shares a lock that the sweep takes exclusively, and checks
 * under it that its blobs exist, so no referenced blob is removed whatever the clocks say.
 */
export async function sweepStore(options: SweepOptions, context: RegistryContext): Promise<Swept> {
  const { store, clock } = context;
  const before = new Date(clock.now().getTime() - graceOf(options));
  const since = await store.lastEvent();
  const unnamed = await findUnnamedTrees(store);
  let trees = 0;
  for (let at = 0; at < unnamed.length; at += BATCH) {
    const batch = unnamed.slice(at, at + BATCH);
    trees += await store.transaction((tx) => removeUnnamed(batch, since, tx));
  }
  const left = await findUnnamedBlobs(before, store);
  let blobs = 0;
  for (let at = 0; at < left.length; at += BATCH) {
    const batch = left.slice(at, at + BATCH);
    blobs += await store.transaction((tx) => removeUnnamedBlobs(batch, before, since, tx));
  }
  return { trees, blobs, leftovers: await store.blobs.sweep(before) };
}

/** The minimum age of unreferenced bytes. */
export function graceOf({ graceMs = SWEEP_GRACE_MS }: SweepOptions): number {
  return Math.max(checkGrace(graceMs), SWEEP_GRACE_MS);
}

/** Small, so that publishers of the same trees do not wait long. */
const BATCH = 100;
const PAGE = 500;

async function removeUnnamed(
  hashes: readonly Digest[],
  since: number,
  tx: RegistryTransaction,
): Promise<number> {
  for (const hash of hashes.toSorted()) await tx.lock(treeLock(hash));
  const named = await publishedSince(since, tx);
  const gone = hashes.filter((hash) => !named.has(hash));
  if (gone.length > 0) await tx.removeTrees(gone);
  return gone.length;
}

async function removeUnnamedBlobs(
  digests: readonly Digest[],
  before: Date,
  since: number,
  tx: RegistryTransaction,
): Promise<number> {
  await tx.lock(UNNAMED_BLOBS);
  const named = new Set<Digest>();
  for (const hash of await publishedSince(since, tx))
    for (const { digest } of (await tx.findTree(hash)) ?? []) named.add(digest);
  const gone = digests.filter((digest) => !named.has(digest));
  return await tx.blobs.remove(gone, before);
}

/** Events whose transactions may refer to trees that no row referred to before. */
const naming: ReadonlySet<SkillEvent["type"]> = new Set<SkillEvent["type"]>([
  "skill.published",
  "proposal.created",
  "proposal.rebased",
]);

/** The trees published or proposed after an event. */
export async function publishedSince(since: number, reader: RegistryReader): Promise<ReadonlySet<Digest>> {
  const named = new Set<Digest>();
  for (let seq = since; ; ) {
    const events = await reader.eventsAfter(seq, PAGE);
    for (const { event } of events)
      if (naming.has(event.type) && "hash" in event) {
        named.add(event.hash);
        if ("base" in event && event.base !== undefined) named.add(event.base);
      }
    const last = events.at(-1);
    if (last === undefined) return named;
    seq = last.seq;
  }
}

/** The trees that no revision with bytes refers to. */
async function findUnnamedTrees(store: RegistryStore): Promise<readonly Digest[]> {
  const named = new Set<Digest>();
  for await (const { id, uid, lastRevision } of allSkills(store)) {
    const revisions = await store.listRevisions(uid);
    // The tree of a missing revision would look unreferenced.
    if (revisions.length < lastRevision)
      throw new SkillError(
        "INTEGRITY_FAILED",
        `Revisions of ${id} are missing, so the sweep removed no data. Run \`skillhold fsck\`.`,
        {
          details: { id },
        },
      );
    for (const { treeHash, purgedAt } of revisions) if (purgedAt === undefined) named.add(treeHash);
  }
  for (const hash of await proposedTrees(store)) named.add(hash);
  const unnamed: Digest[] = [];
  for await (const { hash } of allTrees(store)) if (!named.has(hash)) unnamed.push(hash);
  return unnamed;
}

/**
 * The trees that proposals refer to: candidates, and the bases of open proposals. Proposals of a purged skill refer to
 * none, so that its bytes can be removed.
 */
export async function proposedTrees(reader: RegistryReader): Promise<ReadonlySet<Digest>> {
  const named = new Set<Digest>();
  const purged = new Map<string, boolean>();
  for await (const proposal of allProposals(reader)) {
    const { skill } = proposal;
    if (!purged.has(skill)) purged.set(skill, await isPurged(skill, reader));
    if (purged.get(skill) === true) continue;
    for (const { base, candidate } of proposal.generations) {
      named.add(candidate);
      if (base !== undefined && isOpen(proposal)) named.add(base);
    }
  }
  return named;
}

async function isPurged(id: string, reader: RegistryReader): Promise<boolean> {
  const skill = await reader.findSkill(id);
  if (skill === undefined) return false;
  return (await reader.findRevision(skill.uid, skill.revision))?.purgedAt !== undefined;
}

async function* allProposals(reader: RegistryReader): AsyncGenerator<Proposal> {
  let after: Proposal | undefined;
  for (;;) {
    const page = await reader.listProposals({ limit: PAGE, after });
    yield* page;
    after = page.at(-1);
    if (page.length < PAGE) return;
  }
}

/** The blobs that no tree refers to and that were last put before the given time. */
async function findUnnamedBlobs(before: Date, store: RegistryStore): Promise<readonly Digest[]> {
  const named = new Set<Digest>();
  for await (const { files } of allTrees(store)) for (const { digest } of files) named.add(digest);
  const unnamed: Digest[] = [];
  for await (const { digest, putAt } of store.blobs.list())
    if (putAt < before && !named.has(digest)) unnamed.push(digest);
  return unnamed;
}

/** Every skill, including deleted ones, read in pages. */
export async function* allSkills(reader: RegistryReader): AsyncGenerator<RegisteredSkill> {
  let after: string | undefined;
  for (;;) {
    const page = await reader.listSkills({ limit: PAGE, ...(after === undefined ? {} : { after }) });
    yield* page;
    after = page.at(-1)?.id;
    if (page.length < PAGE) return;
  }
}

export async function* allTrees(reader: RegistryReader): AsyncGenerator<StoredTree> {
  let after: Digest | undefined;
  for (;;) {
    const page = await reader.listTrees({ limit: PAGE, ...(after === undefined ? {} : { after }) });
    yield* page;
    after = page.at(-1)?.hash;
    if (page.length < PAGE) return;
  }
}

/** A hundred years, so that date arithmetic stays valid. */
const MAX_MS = 100 * 365 * 24 * 60 * 60 * 1000;

/** A grace period in milliseconds; a negative one includes new items. Throws USAGE for an invalid number. */
export function checkGrace(graceMs: number): number {
  if (Math.abs(graceMs) <= MAX_MS) return graceMs;
  throw new SkillError("USAGE", `The grace period ${graceMs} is not a valid number of milliseconds.`, {
    hint: "Use at most a hundred years.",
  });
}
