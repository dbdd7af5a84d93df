import type { SkillContent, Viewer } from "@skillhold/core/library";
import type { SkillEntry } from "@skillhold/protocol";
import type { HeldSkill } from "@skillhold/registry/library";
import type { PackedSkill } from "../cache/archive-cache.ts";
import { packFiles } from "../route/skill-archive.ts";
import type { Holder } from "../route/skill-content.ts";
import type { RunningContext } from "../running-context.ts";
import type { Artefact } from "./artefact.ts";

/** A skill that anyone may have. */
export interface PublicSkill extends Holder {
  readonly entry: SkillEntry;
  readonly held: HeldSkill;
}

/** Nobody in particular: no user, no agent, and nothing granted. */
const nobody: Viewer = { runtime: "skillhold" };

/**
 * The skills that are there for nobody in particular, because someone said that they are public: in use, whole, and in
 * the revision that counts. What lies in folders was made public by nobody.
 */
export async function listPublic(
  { skills }: Pick<RunningContext, "skills">,
  ids?: readonly string[],
): Promise<readonly PublicSkill[]> {
  return (await skills.survey(nobody, ids)).flatMap((access) => {
    const held = skills.held(access.entry);
    if (held === undefined || !access.isVisible) return [];
    const { visibility, isEnabled, status, revision } = held.current.skill;
    const isPublic = visibility === "public" && isEnabled && status === "active";
    if (!isPublic || access.entry.revision !== revision) return [];
    return [{ entry: access.entry, access, held, viewer: nobody, library: skills }];
  });
}

/** Its files and their hash, of one moment. */
export async function readPublic({ entry, library, viewer }: PublicSkill): Promise<SkillContent> {
  return await library.read(viewer, entry.id);
}

/** What is read once of the same files is known from then on. */
export async function artefactOf(skill: PublicSkill, context: RunningContext): Promise<Artefact> {
  const { treeHash } = skill.entry;
  const known = treeHash === undefined ? undefined : context.artefacts.find(treeHash);
  if (known !== undefined) return known;
  const content = await readPublic(skill);
  const artefact = await describe(skill, content, context);
  context.artefacts.set(content.treeHash, artefact);
  return artefact;
}

async function describe(
  skill: PublicSkill,
  content: SkillContent,
  context: RunningContext,
): Promise<Artefact> {
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
