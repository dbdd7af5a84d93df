import type { Dependency, DependencyManifest } from "@skillhold/core/dependency";
import type { Viewer } from "@skillhold/core/library";
import { originOf } from "@skillhold/core/source";
import { surveyDependencies, withLibrarySubject } from "@skillhold/deps/environment";
import type { Digest, SkillId, Trust } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { noSkill, skillIdOf } from "../skill/skill-key.ts";
import type { DependencyContext } from "./dependency-context.ts";
import type { CheckedSkill } from "./skill-checks.ts";
import { findStored, type StoredSkill } from "./stored-skill.ts";

/** A skill that dependencies are installed for. */
export interface InstallTarget {
  readonly id: SkillId;
  readonly trust: Trust;
  readonly treeHash: Digest;
  readonly needs: readonly Dependency[];
  readonly ways: NonNullable<DependencyManifest["ways"]>;
  /** Checks its dependencies; a registry skill stores the result. */
  readonly check: () => Promise<CheckedSkill>;
  /** Its tree hash at the time of the call. */
  readonly currentHash: () => Promise<Digest>;
}

/** Finds an enabled registry skill by id or UUID, or a skill in a folder that the viewer can see. */
export async function getTarget(
  key: string,
  viewer: Viewer,
  context: DependencyContext,
): Promise<InstallTarget> {
  const stored = await findStored(key, context);
  if (stored !== undefined) return storedTarget(stored, context);
  return await folderTarget(key, viewer, context);
}

export function storedTarget(
  { row: { id, uid }, revision }: StoredSkill,
  context: DependencyContext,
): InstallTarget {
  const { trust, treeHash, manifest } = revision;
  return {
    id,
    trust,
    treeHash,
    needs: manifest.dependencies,
    ways: manifest.ways ?? [],
    check: async () => {
      const [checked] = await context.work.checks.check([id]);
      return checked ?? { skill: id, ok: true, missing: [] };
    },
    currentHash: async () => (await findStored(uid, context))?.revision.treeHash ?? treeHash,
  };
}

/** Checks the skills in the gateway's folders that the viewer can see. Their results are not stored. */
export async function checkFolders(
  viewer: Viewer,
  context: Pick<DependencyContext, "library" | "dependencies">,
): Promise<readonly CheckedSkill[]> {
  const checked: CheckedSkill[] = [];
  for (const entry of await context.library.list(viewer))
    if (entry.revision === undefined && originOf(entry) === undefined)
      checked.push(await checkFolder(entry.id, viewer, context));
  return checked;
}

/** The result of a check of one skill in a folder. */
export async function checkFolder(
  id: string,
  viewer: Viewer,
  context: Pick<DependencyContext, "library" | "dependencies">,
): Promise<CheckedSkill> {
  try {
    const { missing, isUnsupported } = (await surveyVisible(id, viewer, context)).state;
    const found = { skill: id, ok: missing.length === 0, missing };
    return isUnsupported === true ? { ...found, isUnsupported } : found;
  } catch (error) {
    if (!(error instanceof SkillError)) throw error;
    return { skill: id, ok: true, missing: [], error: error.message };
  }
}

export async function folderTarget(
  key: string,
  viewer: Viewer,
  context: DependencyContext,
): Promise<InstallTarget> {
  const id = await skillIdOf(key, context);
  const read = () =>
    context.library.read(viewer, id, { hasFolder: false }).catch((error: unknown) => {
      // The error names the key of the request, not the id behind it.
      throw error instanceof SkillError && error.code === "SKILL_NOT_FOUND" ? noSkill(key) : error;
    });
  const { entry, treeHash } = await read();
  const { manifest } = await surveyVisible(id, viewer, context);
  return {
    id: entry.id,
    trust: entry.trust,
    treeHash,
    needs: manifest.dependencies,
    ways: manifest.ways ?? [],
    check: () => checkFolder(id, viewer, context),
    currentHash: async () => (await read()).treeHash,
  };
}

/** Surveys the dependencies of a skill that the viewer can see. */
export async function surveyVisible(
  id: string,
  viewer: Viewer,
  { library, dependencies }: Pick<DependencyContext, "library" | "dependencies">,
) {
  return await withLibrarySubject(library, viewer, id, async (subject) => {
    const [survey] = await surveyDependencies([subject], dependencies);
    if (survey === undefined)
      throw new SkillError("INTERNAL", `The dependency check of ${id} returned no result.`);
    return survey;
  });
}
