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
  /** Told of a dependency check that could not be made; the skill keeps its status. */
  readonly onProblem?: (problem: unknown) => void;
}

export interface SeedReport {
  /** In the order of their folders. */
  readonly skills: readonly SeedResult[];
  /** Resolves when the dependencies of all of them have been looked at. It never rejects. */
  readonly checks: Promise<void>;
}

export type SeedResult = SeededSkill | SeedFailure;

export interface SeededSkill {
  readonly id: string;
  /** The folder's name. */
  readonly path: string;
  /** `completed` is a row that had no tree hash and has one now, in the revision that it was in. */
  readonly status: "added" | "updated" | "unchanged" | "completed";
  readonly revision: number;
  /** Files whose stored bytes were missing or damaged and are not any more. */
  readonly restored: readonly string[];
}

export interface SeedFailure {
  /** The id, where it got that far. */
  readonly id: string | undefined;
  readonly path: string;
  readonly status: "failed";
  readonly error: { readonly code: string; readonly message: string; readonly hint: string };
}

/**
 * Takes in the skills that come with the product: those in the folders of this one. What is stored is compared by its
 * tree hash, so that a start with the same skills writes nothing. One that is refused does not hold up the others, and
 * a user's skill that has the id of a new one is left alone and told. Dependencies are looked at afterwards.
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

/** The folders right below the root: a bundle may have skills of its own in it, and they are not separate ones. */
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
    // Packages are linked into place by some installers; these files are the product's own.
    const staged = await stageFolder(folder, { within, signal, allowHardLinks: true }, context.limits);
    id = staged.id;
    if (before.some((each) => each.id === id && each.status !== "failed"))
      throw new SkillError("CONFLICT", `Another bundled folder has the id ${id} as well.`);
    return { ...(await takeIn(staged, signal, context)), id, path };
  } catch (error) {
    const failure = error instanceof SkillError ? error : new SkillError("INTERNAL", messageOf(error));
    // Without a store no skill can be taken in, and who calls it off wants none.
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

/** The four cases: no row, the same tree, a row that knows no tree, another tree. */
async function takeIn(
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
  // Another process may have been faster.
  if (status === "unchanged") return { status, revision, restored: [] };
  return { status: isNew ? "added" : "updated", revision, restored: [] };
}

/** What is missing on this machine is found out in the background: the start does not wait for it. */
function withoutCheck({ hooks = {}, ...context }: RegistryContext): RegistryContext {
  const { missing: _later, ...rest } = hooks;
  return { ...context, hooks: rest };
}

/** A bundled skill that is in the store. */
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
 * Finds out what bundled skills miss on this machine, one after the other, and settles their status. Disabled ones are
 * left out. A check that fails is told and harms nobody, so that this never rejects.
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
  // Read again, because the bytes of all bundled skills are too much to keep until each has its turn.
  const staged = await stageFolder(seed.folder, { within: seed.within, allowHardLinks: true }, limits);
  if (revision === undefined || staged.treeHash !== skill.treeHash) return;
  const found = await missing(staged, revision.manifest);
  await settleMissing(skill, found, { by: systemActor, isArchived: true }, context);
}

function isChecked({ isSystem, isEnabled, status }: RegisteredSkill): boolean {
  return isSystem && isEnabled && status !== "deleted";
}
