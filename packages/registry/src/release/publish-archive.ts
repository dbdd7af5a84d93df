import { type ArchiveBytes, unpack } from "@skillhold/core/archive";
import type { MemoryTree, Omission } from "@skillhold/core/bundle";
import { endsBatch, type Publication, type PublishOptions } from "@skillhold/core/session";
import type { Diagnostic, Digest } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { comparePaths } from "@skillhold/skill";
import type { RegistryContext } from "../record/registry-context.ts";
import { type ArchiveSkill, findArchiveSkills } from "./archive-skill.ts";
import { publishStaged } from "./publish.ts";
import { stageFolder } from "./stage.ts";

export interface PublishArchiveOptions extends PublishOptions {
  /**
   * Ids of other skills in the same upload: a second skill with the same id would become its next revision.
   */
  readonly taken?: ReadonlySet<string>;
  /** Called after each skill, so that results are known even if the process stops early. */
  readonly onResult?: (skill: Publication) => void;
}

export interface PublishedArchive {
  readonly archiveDigest: Digest;
  /** One result per skill, ordered by path. */
  readonly skills: readonly Publication[];
}

/**
 * Publishes each skill of an archive on its own: a rejected skill does not stop the others. An invalid archive is
 * rejected as a whole. The archive is unpacked in memory, within the limits.
 */
export async function publishArchive(
  archive: ArchiveBytes,
  options: PublishArchiveOptions,
  context: RegistryContext,
): Promise<PublishedArchive> {
  const { limits } = context;
  const called = options.signal === undefined ? {} : { signal: options.signal };
  const { tree, digest: archiveDigest, dropped } = await unpack(archive, { limits, ...called });
  const found = await findArchiveSkills(tree, limits);
  if (options.id !== undefined && found.length > 1)
    throw new SkillError("USAGE", `The archive contains ${found.length} skills, so an id cannot be set.`);
  const provenance = { source: "archive", archiveDigest, ...options.provenance } as const;
  const skills: Publication[] = [];
  const omissions = omissionsBySkill(dropped, found);
  for (const each of found) {
    const published = await publishOne(each, tree, skills, { ...options, provenance }, context);
    const skill = withOmissions(published, omissions.get(each) ?? []);
    skills.push(skill);
    options.onResult?.(skill);
  }
  return { archiveDigest, skills };
}

/**
 * The entries that unpacking dropped, by the skill whose folder contains them. The first skill lists the entries outside
 * all skills.
 */
function omissionsBySkill(
  dropped: readonly string[],
  skills: readonly ArchiveSkill[],
): ReadonlyMap<ArchiveSkill, readonly Omission[]> {
  const byFolder = new Map(skills.map((skill) => [skill.path, skill]));
  const found = new Map<ArchiveSkill, Omission[]>();
  for (const entry of dropped) {
    const owner = ancestorsOf(entry).find((folder) => byFolder.has(folder));
    const skill = owner === undefined ? skills[0] : byFolder.get(owner);
    if (skill === undefined) continue;
    const path = owner === undefined || owner === "." ? entry : entry.slice(owner.length + 1);
    const omission = { path, reason: "junk", message: "The entry was added by macOS." } as const;
    const listed = found.get(skill);
    if (listed === undefined) found.set(skill, [omission]);
    else listed.push(omission);
  }
  return found;
}

/** The folders that contain an entry of the archive, deepest first. */
function ancestorsOf(entry: string): readonly string[] {
  const names = entry.split("/").slice(0, -1);
  return [...names.map((_, index) => names.slice(0, names.length - index).join("/")), "."];
}

function withOmissions(skill: Publication, more: readonly Omission[]): Publication {
  if (skill.status === "failed" || more.length === 0) return skill;
  return { ...skill, omitted: [...skill.omitted, ...more].sort((a, b) => comparePaths(a.path, b.path)) };
}

async function publishOne(
  { folder, path }: ArchiveSkill,
  tree: MemoryTree,
  before: readonly Publication[],
  options: PublishArchiveOptions,
  context: RegistryContext,
): Promise<Publication> {
  let id = options.id;
  try {
    const staged = await stageFolder(folder, { id, tree, signal: options.signal }, context.limits);
    id = staged.id;
    if (before.some((each) => each.id === id))
      throw new SkillError("CONFLICT", `Another folder of the archive has the same id ${id}.`, {
        hint: "Rename one of the skills or change its slug.",
      });
    if (options.taken?.has(staged.id) === true)
      throw new SkillError("CONFLICT", `Another skill in this upload has the same id ${id}.`, {
        hint: "Rename one of the skills or change its slug, or publish only one of them.",
      });
    return { ...(await publishStaged(staged, options, context)), path };
  } catch (error) {
    if (!(error instanceof SkillError) || endsBatch(error)) throw error;
    const { code, message, hint, details } = error;
    const { diagnostics = [] } = details;
    // `invalidSkill` puts the diagnostics in the details.
    const found = diagnostics as readonly Diagnostic[];
    return { id, path, status: "failed", error: { code, message, hint }, diagnostics: found };
  }
}
