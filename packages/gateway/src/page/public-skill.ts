import type { SkillContent, Viewer } from "@skillhold/core/library";
import type { SkillEntry } from "@skillhold/protocol";
import type { HeldSkill } from "@skillhold/registry/library";
import type { PackedSkill } from "../cache/archive-cache.ts";
import type { Artifact, RunningContext } from "../running-context.ts";
import { packFiles, type ReadableSkill } from "../skill/skill-content.ts";

/** A skill that anyone may download. */
export interface PublicSkill extends ReadableSkill {
  readonly entry: SkillEntry;
  readonly held: HeldSkill;
}

/** A viewer without user, agent and grants. */
const anonymous: Viewer = { runtime: "skillhold" };

/**
 * The skills of the registry that their owners made public: enabled, active and in their current revision. Skills in
 * folders are never public.
 */
export async function listPublic(
  { skills }: Pick<RunningContext, "skills">,
  ids?: readonly string[],
): Promise<readonly PublicSkill[]> {
  return (await skills.survey(anonymous, ids)).flatMap((access) => {
    const held = skills.held(access.entry);
    if (held === undefined || !access.isVisible) return [];
    const { visibility, isEnabled, status, revision } = held.current.skill;
    const isPublic = visibility === "public" && isEnabled && status === "active";
    if (!isPublic || access.entry.revision !== revision) return [];
    return [{ entry: access.entry, access, held, viewer: anonymous, from: "skills" }];
  });
}

/** Reads the files and the tree hash of one state. */
export async function readPublic(
  { entry, viewer }: PublicSkill,
  { skills }: Pick<RunningContext, "skills">,
): Promise<SkillContent> {
  return await skills.read(viewer, entry.id);
}

/** Artifacts are cached by tree hash. */
export async function artifactOf(skill: PublicSkill, context: RunningContext): Promise<Artifact> {
  const { treeHash } = skill.entry;
  const cached = treeHash === undefined ? undefined : context.artifacts.find(treeHash);
  if (cached !== undefined) return cached;
  const content = await readPublic(skill, context);
  const artifact = await buildArtifact(skill, content, context);
  context.artifacts.set(content.treeHash, artifact);
  return artifact;
}

async function buildArtifact(
  skill: PublicSkill,
  content: SkillContent,
  context: RunningContext,
): Promise<Artifact> {
  const paths = content.files.map(({ path }) => path);
  const [only] = content.files;
  if (paths.length === 1 && only?.path === "SKILL.md")
    return { type: "skill-md", digest: only.digest, paths };
  const { digest } = await packPublic(skill, content, context);
  return { type: "archive", digest, paths };
}

export async function packPublic(
  skill: PublicSkill,
  { files, treeHash }: SkillContent,
  context: RunningContext,
): Promise<PackedSkill> {
  return await context.archives.get(treeHash, "tar.gz", () => packFiles(skill, files, context));
}
