import { basename, dirname, join, relative, resolve, sep } from "node:path";
import type { Digest } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { clawhubFingerprint } from "../format/clawhub-lock.ts";
import { SKILLS_LOCK, skillsLockHash } from "../format/skills-lock.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import { ExportMeter, type LoadedSkill, loadSkill } from "../release/load-skill.ts";
import { findExported } from "./export.ts";
import { findLocked, recordLocked, recordOrigin, rejectUnwritable } from "./export-lock.ts";
import { makeFolder } from "./make-folder.ts";
import { replaceFolder } from "./replace-folder.ts";
import { findSwaps, recoverSwaps } from "./swap-folder.ts";
import { isStill, readTargetState, type TargetState } from "./target-folder.ts";

export interface ExportFolderOptions {
  /**
   * The `skills-lock.json` to update. By default the one of the project that contains a folder such as
   * `.agents/skills`, otherwise the one in the folder itself.
   */
  readonly lock?: string;
  /** Also writes ClawHub's lock and origin files, as for skills installed from this registry. */
  readonly clawhub?: { readonly registry: string };
  /** Reports the changes without writing. */
  readonly isDryRun?: boolean;
}

export interface FolderExport {
  /** The lock file. */
  readonly lock: string;
  readonly skills: readonly ExportedFolder[];
  /** Messages about kept extra files and leftovers of earlier exports. */
  readonly notes: readonly string[];
}

export interface ExportedFolder {
  readonly id: string;
  readonly folder: string;
  readonly status: "written" | "updated" | "unchanged";
  readonly revision: number;
  readonly treeHash: Digest;
}

/**
 * Writes skills to a folder that clients read and records them in `skills-lock.json`. An existing skill is
 * replaced only if it is a known revision or matches the lock. If one was edited or comes from elsewhere,
 * throws CONFLICT and writes no skill at all. Concurrent edits are kept.
 *
 * Contract: the caller may see these skills.
 */
export async function exportFolder(
  ids: readonly string[] | "all",
  folder: string,
  options: ExportFolderOptions,
  context: RegistryContext,
): Promise<FolderExport> {
  const target = resolve(folder);
  const lock = resolve(options.lock ?? join(projectOf(target), SKILLS_LOCK));
  if (options.isDryRun !== true) for (const each of [target, dirname(lock)]) recoverSwaps(each);
  const leftovers = findSwaps(target).map(noteLeftover);
  const meter = new ExportMeter(context.limits);
  const plans: Plan[] = [];
  for (const skill of await findExported(ids, context)) {
    const loaded = await loadSkill(skill, meter, context);
    plans.push(await planFolder(loaded, join(target, skill.id), lock, context));
  }
  rejectForeign(plans);
  if (options.isDryRun !== true) {
    makeFolder(target);
    rejectUnwritable(lock);
    for (const plan of plans) await apply(plan, lock, options, context);
  }
  return { lock, skills: plans.map(describe), notes: [...plans.flatMap(noteExtras), ...leftovers] };
}

/** `.agents/skills`, `.claude/skills` and similar folders belong to the project above them. */
function projectOf(target: string): string {
  const parent = dirname(target);
  return basename(target) === "skills" && basename(parent).startsWith(".") ? dirname(parent) : target;
}

interface Plan extends LoadedSkill {
  readonly place: string;
  readonly state: TargetState;
}

async function planFolder(
  loaded: LoadedSkill,
  place: string,
  lock: string,
  { store, limits }: RegistryContext,
): Promise<Plan> {
  const { skill, files } = loaded;
  const revisions = await store.listRevisions(skill.uid);
  const wanted = {
    known: revisions.map(({ treeHash }) => treeHash),
    paths: files.map(({ path }) => path),
  };
  return {
    ...loaded,
    place,
    state: await readTargetState(place, wanted, findLocked(lock, skill.id), limits),
  };
}

function rejectForeign(plans: readonly Plan[]): void {
  const refused = plans.flatMap(({ skill, place, state }) =>
    state.kind === "foreign" ? [{ id: skill.id, folder: place, reason: state.reason }] : [],
  );
  if (refused.length === 0) return;
  const named = refused.map(({ id, reason }) => `${id} (${reason})`).join(", ");
  throw new SkillError(
    "CONFLICT",
    `The export would overwrite other files, so no skill was written: ${named}`,
    {
      hint: "Publish the edited skills or move them away, or export the other skills by id.",
      details: { refused },
    },
  );
}

async function apply(
  plan: Plan,
  lock: string,
  { clawhub }: ExportFolderOptions,
  { clock, limits }: RegistryContext,
): Promise<void> {
  const { skill, revision, files, place, state } = plan;
  const { status } = describe(plan);
  if (status !== "unchanged")
    await replaceFolder(place, files, {
      extras: extrasOf(state),
      isExpected: (old) => isStill(state, old, limits),
    });
  recordLocked(lock, skill.id, {
    source: portablePath(relative(dirname(lock), place)),
    sourceType: "local",
    computedHash: skillsLockHash(files),
    skillhold: { treeHash: revision.treeHash, revision: revision.revision },
  });
  if (clawhub === undefined || status === "unchanged") return;
  recordOrigin(dirname(lock), place, {
    version: 1,
    registry: clawhub.registry,
    slug: skill.id,
    installedVersion: revision.version ?? `0.0.${revision.revision}`,
    installedAt: clock.now().getTime(),
    fingerprint: clawhubFingerprint(files.filter(({ path }) => !/(?:^|\/)\./.test(path))),
  });
}

function describe({ skill, revision: { revision, treeHash }, place, state }: Plan): ExportedFolder {
  const about = { id: skill.id, folder: place, revision, treeHash };
  if (state.kind !== "known") return { ...about, status: "written" };
  return { ...about, status: state.treeHash === treeHash ? "unchanged" : "updated" };
}

function extrasOf(state: TargetState): readonly string[] {
  return state.kind === "known" ? state.extras : [];
}

function noteExtras({ skill, state }: Plan): readonly string[] {
  return extrasOf(state).map((path) => `${skill.id}/${path} is not part of the skill and was kept.`);
}

function noteLeftover(name: string): string {
  return `${name} is left over from an interrupted export. Check it for your files, then delete it.`;
}

/** The form in which the `skills` command line writes a source inside the project. */
function portablePath(path: string): string {
  const portable = path.split(sep).join("/");
  if (portable === "") return ".";
  return portable.startsWith("../") || portable === ".." ? portable : `./${portable}`;
}
