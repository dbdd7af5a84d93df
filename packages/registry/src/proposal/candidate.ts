import type { Digest } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import {
  applyWaivers,
  diffManifests,
  emptyManifest,
  formatChange,
  type GuardReport,
  type GuardVerdict,
} from "@skillhold/skill/guard";
import { treeLock, UNNAMED_BLOBS } from "../record/lock.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import type { RegistryStore, RegistryTransaction } from "../record/registry-store.ts";
import type { StagedFile, StagedSkill } from "../record/staged-skill.ts";
import { getTree } from "../release/revisions.ts";
import { stageFiles } from "../release/stage.ts";

/** Checks files as a skill, exactly as a publish would. Without an id, SKILL.md gives it. */
export async function stageProposed(
  files: readonly StagedFile[],
  id: string | undefined,
  limits: Limits,
): Promise<StagedSkill> {
  const staged = await stageFiles(files, { id }, limits);
  const [omitted] = staged.omitted;
  if (omitted === undefined) return staged;
  throw new SkillError("USAGE", `${omitted.path} cannot be part of a skill: ${omitted.message}`, {
    hint: "Leave the file out of the proposal.",
    details: { path: omitted.path },
  });
}

/** The files of a stored tree with their bytes, each verified by its hash. */
export async function readTree(hash: Digest, store: RegistryStore): Promise<readonly StagedFile[]> {
  const files: StagedFile[] = [];
  for (const file of await getTree(hash, store))
    files.push({ ...file, content: await store.blobs.get(file.digest) });
  return files;
}

/** The guard's view of a candidate. */
export interface CandidateCheck {
  readonly verdict: GuardVerdict | undefined;
  readonly widened: readonly string[] | undefined;
  /** Reports to store with their trees. */
  readonly reports: readonly { readonly hash: Digest; readonly report: GuardReport }[];
}

/** Inspects a candidate and compares it with its base. A guard that fails rejects the proposal. */
export async function checkCandidate(
  candidate: StagedSkill,
  base: readonly StagedFile[] | undefined,
  context: RegistryContext,
): Promise<CandidateCheck> {
  const { hooks, store, clock, limits } = context;
  if (hooks?.inspect === undefined) return { verdict: undefined, widened: undefined, reports: [] };
  const inspect = async (staged: StagedSkill) => {
    const known = await store.findGuardReport(staged.treeHash);
    return { hash: staged.treeHash, report: known ?? (await ask(staged, hooks)) };
  };
  const after = await inspect(candidate);
  const before =
    base === undefined ? undefined : await inspect(await stageProposed(base, candidate.id, limits));
  const waivers = await store.listWaivers(candidate.id);
  const { verdict } = applyWaivers(after.report, waivers, clock.now().toISOString());
  const { manifest } = after.report;
  // Without a base, every capability is new.
  const from = before?.report.manifest ?? emptyManifest(manifest.engine);
  const widened = diffManifests(from, manifest).widened.map(formatChange);
  return { verdict, widened, reports: before === undefined ? [after] : [after, before] };
}

async function ask(staged: StagedSkill, hooks: NonNullable<RegistryContext["hooks"]>): Promise<GuardReport> {
  try {
    const report = await hooks.inspect?.(staged);
    if (report !== undefined) return report;
  } catch (error) {
    throw failed(staged, error);
  }
  throw failed(staged, undefined);
}

function failed({ id }: StagedSkill, cause: unknown): SkillError {
  return new SkillError("GUARD_FAILED", `The content guard failed on the proposal for ${id}.`, {
    hint: "The proposal was not stored. Try again, and report the failure if it repeats.",
    details: { id },
    cause,
  });
}

const PUTS = 5;

/** Stores trees with their bytes, then calls `work` in one transaction in which no sweep can remove them. */
export async function withTrees<T>(
  trees: readonly (readonly [Digest, readonly StagedFile[]])[],
  { store }: RegistryContext,
  lock: (tx: RegistryTransaction) => Promise<void>,
  work: (tx: RegistryTransaction) => Promise<T>,
): Promise<T> {
  const files = new Map(trees.flatMap(([, tree]) => tree.map((file) => [file.digest, file.content])));
  const blobs = [...files].map(([digest, bytes]) => ({ digest, bytes }));
  const hashes = [...new Set(trees.map(([hash]) => hash))].sort();
  for (let puts = 0; puts < PUTS; puts += 1) {
    await store.blobs.put(blobs, "staged");
    const done = await store.transaction(async (tx) => {
      await lock(tx);
      for (const hash of hashes) await tx.lock(treeLock(hash));
      await tx.lock(UNNAMED_BLOBS, "shared");
      if ((await tx.blobs.missing([...files.keys()])).length > 0) return undefined;
      for (const [hash, tree] of trees)
        await tx.putTree(
          hash,
          tree.map(({ path, size, digest, executable }) => ({ path, size, digest, executable })),
        );
      return { value: await work(tx) };
    });
    if (done !== undefined) return done.value;
  }
  throw new SkillError("STORE_FAILED", "The store lost the bytes of a proposal while it was being stored.", {
    hint: "Find the program that removes them, for example a sweep on a machine whose clock is hours ahead.",
  });
}
