import { join } from "node:path";
import { findSkillFolders } from "@skillhold/core/source";
import { SkillError } from "@skillhold/protocol/error";
import { systemActor } from "../ownership/ownership.ts";
import type { RegisteredSkill } from "../record/registered-skill.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import type { StagedSkill } from "../record/staged-skill.ts";
import { publishStaged } from "../release/publish.ts";
import { settleMissing } from "../release/settle.ts";
import { stageFolder } from "../release/stage.ts";
import { completeRow, restoreFiles } from "./seed-restore.ts";

export interface SeedOptions {
  readonly signal?: AbortSignal;
  /** Receives failures of dependency checks; the skill keeps its status. */
  readonly onProblem?: (problem: unknown) => void;
}

export interface SeedReport {
  /** Ordered by folder. */
  readonly skills: readonly SeedResult[];
  /** Resolves when the dependencies of all skills have been checked; never rejects. */
  readonly checks: Promise<void>;
}

export type SeedResult = SeededSkill | SeedFailure;

export interface SeededSkill {
  readonly id: string;
  /** The folder name. */
  readonly path: string;
  /** `completed`: the row lacked a tree hash and now has one, without a new revision. */
  readonly status: "added" | "updated" | "unchanged" | "completed";
  readonly revision: number;
  /** Files whose stored bytes were missing or damaged and are restored. */
  readonly restored: readonly string[];
}

export interface SeedFailure {
  /** The id, if it was known before the failure. */
  readonly id: string | undefined;
  readonly path: string;
  readonly status: "failed";
  readonly error: { readonly code: string; readonly message: string; readonly hint: string };
}

/**
 * Publishes the bundled skills in the subfolders of a folder. Skills with an unchanged tree hash write no
 * data. A rejected skill does not stop the others, and a user's skill with the same id is kept and reported.
 * Dependencies are checked afterwards.
 */
export async function seedSkills(
  folder: string,
  options: SeedOptions,
  context: RegistryContext,
): Promise<SeedReport> {
  const found = await findSeeds(folder, options, context);
  const skills: SeedResult[] = [...found.failures];
  const seeded: CheckedSeed[] = [];
  for (const path of found.paths) {
    const place = { folder: join(found.root, path), within: found.root };
    const result = await seedOne(path, place, skills, options, context);
    skills.push(result);
    if (result.status !== "failed") seeded.push({ ...place, id: result.id });
  }
  return { skills, checks: checkSeeds(seeded, options, context) };
}

interface FoundSeeds {
  readonly root: string;
  readonly paths: readonly string[];
  readonly failures: readonly SeedFailure[];
}

/** Only direct subfolders: skills nested inside a bundle are part of it. */
async function findSeeds(
  folder: string,
  { signal }: SeedOptions,
  { limits }: RegistryContext,
): Promise<FoundSeeds> {
  const bounds = { discoveryDepth: 1, discoveryFolders: limits.discoveryFolders };
  const found = await findSkillFolders(folder, bounds, signal === undefined ? {} : { signal });
  const failures = found.problems
    .filter(({ reason }) => reason === "missing" || reason === "unreadable")
    .map(({ path, message }) => asFailure(path, undefined, new SkillError("PATH_NOT_FOUND", message)));
  const paths = found.skills.map(({ path }) => path).filter((path) => path !== ".");
  return { root: found.root, paths: paths.toSorted(), failures };
}

interface SeedPlace {
  readonly folder: string;
  readonly within: string;
}

async function seedOne(
  path: string,
  { folder, within }: SeedPlace,
  before: readonly SeedResult[],
  { signal }: SeedOptions,
  context: RegistryContext,
): Promise<SeedResult> {
  let id: string | undefined;
  try {
    // Some installers hard-link package files, and these files belong to the product.
    const staged = await stageFolder(folder, { within, signal, allowHardLinks: true }, context.limits);
    id = staged.id;
    if (before.some((each) => each.id === id && each.status !== "failed"))
      throw new SkillError("CONFLICT", `Another bundled folder has the same id ${id}.`);
    return { ...(await seedStaged(staged, signal, context)), id, path };
  } catch (error) {
    const failure = error instanceof SkillError ? error : new SkillError("INTERNAL", messageOf(error));
    // Without a store no skill can be seeded, and an abort applies to all skills.
    if (failure.code === "STORE_FAILED" || signal?.aborted === true) throw error;
    return asFailure(path, id, failure);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function asFailure(path: string, id: string | undefined, { code, message, hint }: SkillError): SeedFailure {
  return { id, path, status: "failed", error: { code, message, hint } };
}

/** Handles four cases: no row, same tree, row without a tree hash, other tree. */
async function seedStaged(
  staged: StagedSkill,
  signal: AbortSignal | undefined,
  context: RegistryContext,
): Promise<Omit<SeededSkill, "id" | "path">> {
  const row = await context.store.findSkill(staged.id);
  if (row?.isSystem === true && row.status !== "deleted") {
    if (row.treeHash === staged.treeHash)
      return { status: "unchanged", revision: row.revision, restored: await restoreFiles(staged, context) };
    if (row.treeHash === undefined && (await completeRow(row, staged, context)))
      return { status: "completed", revision: row.revision, restored: [] };
  }
  const { revision, status, isNew } = await publishStaged(
    staged,
    { by: systemActor, ...(signal === undefined ? {} : { signal }) },
    withoutCheck(context),
  );
  // Another process may have seeded the skill first.
  if (status === "unchanged") return { status, revision, restored: [] };
  return { status: isNew ? "added" : "updated", revision, restored: [] };
}

/** Dependencies are checked in the background, so that the start does not wait. */
function withoutCheck({ hooks = {}, ...context }: RegistryContext): RegistryContext {
  const { missing: _later, ...rest } = hooks;
  return { ...context, hooks: rest };
}

/** A bundled skill in the store. */
interface CheckedSeed {
  readonly id: string;
  readonly folder: string;
  readonly within: string;
}

interface CheckOptions {
  readonly signal?: AbortSignal;
  readonly onProblem?: (problem: unknown) => void;
}

/**
 * Checks the dependencies of enabled bundled skills one by one and updates their status. Failures are
 * reported to `onProblem`; never rejects.
 */
async function checkSeeds(
  seeds: readonly CheckedSeed[],
  { signal, onProblem = () => {} }: CheckOptions,
  context: RegistryContext,
): Promise<void> {
  const missing = context.hooks?.missing?.bind(context.hooks);
  if (missing === undefined) return;
  for (const seed of seeds) {
    if (signal?.aborted === true) return;
    try {
      await checkSeed(seed, missing, context);
    } catch (problem) {
      onProblem(problem);
    }
  }
}

type Missing = NonNullable<NonNullable<RegistryContext["hooks"]>["missing"]>;

async function checkSeed(seed: CheckedSeed, missing: Missing, context: RegistryContext): Promise<void> {
  const { store, limits } = context;
  const skill = await store.findSkill(seed.id);
  if (skill === undefined || !isChecked(skill)) return;
  const revision = await store.findRevision(skill.uid, skill.revision);
  // Read again, because keeping the bytes of all bundled skills would use too much memory.
  const staged = await stageFolder(seed.folder, { within: seed.within, allowHardLinks: true }, limits);
  if (revision === undefined || staged.treeHash !== skill.treeHash) return;
  const found = await missing(staged, revision.manifest);
  await settleMissing(skill, found, { by: systemActor, isArchived: true }, context);
}

function isChecked({ isSystem, isEnabled, status }: RegisteredSkill): boolean {
  return isSystem && isEnabled && status !== "deleted";
}
