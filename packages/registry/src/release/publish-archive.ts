import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ArchiveBytes, type ArchiveSkill, findArchiveSkills, unpack } from "@skillhold/core/archive";
import { isOfAll, type Publication, type PublishOptions } from "@skillhold/core/session";
import type { Diagnostic, Digest } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { RegistryContext } from "../record/registry-context.ts";
import { publishStaged } from "./publish.ts";
import { stageFolder } from "./stage.ts";

export interface PublishArchiveOptions extends PublishOptions {
  /** Where the archive is unpacked: in a new folder in here, which does not stay. */
  readonly temporary?: string;
  /** Ids that skills have which are published with it: two skills of one id would be two revisions of one. */
  readonly taken?: ReadonlySet<string>;
  /** Told of each skill when it is done, for those who may not live to see the end. */
  readonly onResult?: (skill: Publication) => void;
}

export interface PublishedArchive {
  readonly archiveDigest: Digest;
  /** One for each skill in it, in the order of their paths. */
  readonly skills: readonly Publication[];
}

/**
 * Publishes the skills in an archive, each for itself: one that is refused does not hold up the others. An archive
 * that breaks a rule of archives is refused whole.
 */
export async function publishArchive(
  archive: ArchiveBytes,
  options: PublishArchiveOptions,
  context: RegistryContext,
): Promise<PublishedArchive> {
  const { limits } = context;
  const { signal, temporary = tmpdir() } = options;
  const folder = await mkdtemp(join(temporary, "skillhold-archive-"));
  try {
    const called = signal === undefined ? {} : { signal };
    const { digest: archiveDigest } = await unpack(archive, folder, { limits, ...called });
    const found = await findArchiveSkills(folder, limits);
    if (options.id !== undefined && found.length > 1)
      throw new SkillError("USAGE", `The archive has ${found.length} skills: one id cannot serve them all.`);
    const provenance = { source: "archive", archiveDigest, ...options.provenance } as const;
    const skills: Publication[] = [];
    for (const each of found) {
      const skill = await publishOne(each, folder, skills, { ...options, provenance }, context);
      skills.push(skill);
      options.onResult?.(skill);
    }
    return { archiveDigest, skills };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function publishOne(
  { folder, path }: ArchiveSkill,
  within: string,
  before: readonly Publication[],
  options: PublishArchiveOptions,
  context: RegistryContext,
): Promise<Publication> {
  let id = options.id;
  try {
    const staged = await stageFolder(folder, { id, within, signal: options.signal }, context.limits);
    id = staged.id;
    if (before.some((each) => each.id === id))
      throw new SkillError("CONFLICT", `Another folder of the archive has the id ${id} as well.`, {
        hint: "Give one of the two another name or slug.",
      });
    if (options.taken?.has(staged.id) === true)
      throw new SkillError("CONFLICT", `Another skill that is published with it has the id ${id}.`, {
        hint: "Give one of the two another name or slug, or publish only one.",
      });
    return await publishStaged(staged, options, context);
  } catch (error) {
    if (!(error instanceof SkillError) || isOfAll(error)) throw error;
    const { code, message, hint, details } = error;
    const { diagnostics = [] } = details;
    // Refusals of skills carry the diagnostics that they are for; see `invalidSkill`.
    const found = diagnostics as readonly Diagnostic[];
    return { id, path, status: "failed", error: { code, message, hint }, diagnostics: found };
  }
}
