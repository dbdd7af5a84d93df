import type { Dependency, DependencyManifest } from "@skillhold/core/dependency";
import type { Viewer } from "@skillhold/core/library";
import { surveyDependencies, withLibrarySubject } from "@skillhold/deps/environment";
import type { Digest, SkillId, Trust } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { noSkill, skillIdOf } from "../route/skill-key.ts";
import type { DependencyContext } from "./dependency-context.ts";
import type { CheckedSkill } from "./skill-checks.ts";
import { findStored, type StoredSkill } from "./stored-skill.ts";

/** A skill that something is installed for. */
export interface InstallTarget {
  readonly id: SkillId;
  readonly trust: Trust;
  readonly treeHash: Digest;
  readonly needs: readonly Dependency[];
  readonly ways: NonNullable<DependencyManifest["ways"]>;
  /** Looks at it, and keeps what was found where there is a place for it. */
  readonly check: () => Promise<CheckedSkill>;
  /** The hash of its content as it is now. */
  readonly currentHash: () => Promise<Digest>;
}

/** A skill of the registry by its id or UUID, whoever sees it; or else one in a folder, as this viewer sees it. */
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

async function folderTarget(key: string, viewer: Viewer, context: DependencyContext): Promise<InstallTarget> {
  const id = await skillIdOf(key, context);
  const read = () =>
    context.library.read(viewer, id).catch((error: unknown) => {
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
    check: async () => {
      const { missing } = (await surveyVisible(id, viewer, context)).state;
      return { skill: id, ok: missing.length === 0, missing };
    },
    currentHash: async () => (await read()).treeHash,
  };
}

/** What a skill needs that the viewer sees. */
export async function surveyVisible(
  id: string,
  viewer: Viewer,
  { library, dependencies }: Pick<DependencyContext, "library" | "dependencies">,
) {
  return await withLibrarySubject(library, viewer, id, async (subject) => {
    const [survey] = await surveyDependencies([subject], dependencies);
    if (survey === undefined) throw new SkillError("INTERNAL", `Nothing came of the check of ${id}.`);
    return survey;
  });
}
