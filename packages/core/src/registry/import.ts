import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Diagnostic, Digest } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import { type UnpackedFile, unpack } from "../archive/index.ts";
import { hashSkillFile, readBounded, tryStat } from "../bundle/index.ts";
import {
  EXPORT_MANIFEST,
  EXPORT_MANIFEST_BYTES,
  type ExportedSkill,
  type ExportManifest,
  readExportManifest,
} from "../exchange/index.ts";
import { editSkill, type SkillEdit } from "./edit.ts";
import { restoreGrants } from "./import-grants.ts";
import type { Publication, Published } from "./publication.ts";
import { publishStaged } from "./publish.ts";
import { type PublishArchiveOptions, publishArchive } from "./publish-archive.ts";
import type { RegistryContext } from "./registry-context.ts";
import { stageFolder } from "./stage.ts";
import type { StagedSkill } from "./staged-skill.ts";

export type ImportOptions = Omit<PublishArchiveOptions, "id">;

export interface ImportReport {
  readonly archiveDigest: Digest;
  /** False for an archive that no export made: its skills were published as those of any archive. */
  readonly hasManifest: boolean;
  readonly skills: readonly ImportedSkill[];
}

export type ImportedSkill = Publication & {
  /** What was set as the manifest says: `visibility`, `name`, `description`, `tags`, `grants`. */
  readonly restored: readonly string[];
};

/**
 * Takes in what an export made, each skill for itself and under the id that it had. Its files must have the hash that
 * the manifest says. Trust comes from who imports, never from the archive; visibility and, where an administrator
 * imports, grants come back for skills that are new here, and what an administrator said in place of SKILL.md where
 * nobody here says otherwise.
 */
export async function importSkills(
  archive: Uint8Array,
  options: ImportOptions,
  context: RegistryContext,
): Promise<ImportReport> {
  const { temporary = tmpdir(), signal } = options;
  const folder = await mkdtemp(join(temporary, "skillhold-import-"));
  try {
    const called = signal === undefined ? {} : { signal };
    const { files } = await unpack(archive, folder, { limits: archiveLimits(context.limits), ...called });
    const manifest = findManifest(folder, files);
    if (manifest === undefined) return await importPlain(archive, options, context);
    rejectStrays(files, manifest, context.limits);
    const archiveDigest = hashSkillFile(archive);
    const skills: ImportedSkill[] = [];
    for (const skill of manifest.skills)
      skills.push(await importOne(skill, folder, archiveDigest, options, context));
    return { archiveDigest, hasManifest: true, skills };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** An id and a slash stand before each path; what is below is held to the limits when it is staged. */
function archiveLimits(limits: Limits): Limits {
  return { ...limits, pathDepth: limits.pathDepth + 1, pathBytes: limits.pathBytes + 65 };
}

function findManifest(folder: string, files: readonly UnpackedFile[]): ExportManifest | undefined {
  if (!files.some(({ path }) => path === EXPORT_MANIFEST)) return undefined;
  const read = readBounded(join(folder, EXPORT_MANIFEST), EXPORT_MANIFEST_BYTES);
  if ("problem" in read) throw refuse(`${EXPORT_MANIFEST} cannot be read: ${read.problem.message}`);
  return readExportManifest(read.bytes);
}

async function importPlain(
  archive: Uint8Array,
  options: ImportOptions,
  context: RegistryContext,
): Promise<ImportReport> {
  const { archiveDigest, skills } = await publishArchive(archive, options, context);
  return { archiveDigest, hasManifest: false, skills: skills.map((each) => ({ ...each, restored: [] })) };
}

/** An archive is what its manifest says, or it is not what an export made. */
function rejectStrays(files: readonly UnpackedFile[], manifest: ExportManifest, limits: Limits): void {
  if (manifest.skills.length > limits.archiveSkills)
    throw new SkillError("LIMIT_EXCEEDED", `The archive has more than ${limits.archiveSkills} skills.`, {
      details: { limit: "archiveSkills", max: limits.archiveSkills },
    });
  const ids = new Set<string>(manifest.skills.map(({ id }) => id));
  const stray = files.find(({ path }) => path !== EXPORT_MANIFEST && !ids.has(path.split("/", 1)[0] ?? ""));
  if (stray !== undefined) throw refuse(`${stray.path} belongs to no skill of ${EXPORT_MANIFEST}.`);
}

function refuse(message: string): SkillError {
  return new SkillError("ARCHIVE_INVALID", message, { hint: "Export the skills anew." });
}

async function importOne(
  exported: ExportedSkill,
  folder: string,
  archiveDigest: Digest,
  options: ImportOptions,
  context: RegistryContext,
): Promise<ImportedSkill> {
  const { id, treeHash } = exported;
  try {
    const staged = await stageExported(id, folder, options, context);
    if (staged.treeHash !== treeHash)
      throw damaged(id, `has the tree hash ${staged.treeHash}, not ${treeHash}`);
    const provenance = {
      source: "import",
      ...claimsOf(exported),
      ...options.provenance,
      archiveDigest,
    } as const;
    const published = await publishStaged(staged, { ...options, provenance }, context);
    return await restoreSettings(exported, published, options, context);
  } catch (error) {
    if (!(error instanceof SkillError) || error.code === "STORE_FAILED") throw error;
    const { code, message, hint, details } = error;
    // Refusals of skills carry the diagnostics that they are for; see `invalidSkill`.
    const diagnostics = (details["diagnostics"] ?? []) as readonly Diagnostic[];
    return { id, path: id, status: "failed", error: { code, message, hint }, diagnostics, restored: [] };
  }
}

/** As it lies there: helpers that it shares were copied in before it was exported. */
async function stageExported(
  id: string,
  folder: string,
  { signal }: ImportOptions,
  { limits }: RegistryContext,
): Promise<StagedSkill> {
  const place = join(folder, id);
  if (tryStat(place) === undefined) throw damaged(id, "is not in it");
  return await stageFolder(place, { id, within: place, signal }, limits);
}

function damaged(id: string, problem: string): SkillError {
  return new SkillError("INTEGRITY_FAILED", `The archive is damaged: the skill ${id} ${problem}.`, {
    hint: "Fetch the archive again, or export the skill anew.",
    details: { id },
  });
}

/** What the archive says of where a skill came from; that an archive says so is recorded with it. */
function claimsOf({ provenance: { originUrl, ref } }: ExportedSkill) {
  return { ...(isLine(originUrl) ? { originUrl } : {}), ...(isLine(ref) ? { ref } : {}) };
}

/** It is shown to people: what could be taken for anything but one line of text is not taken over. */
function isLine(text: string | undefined): text is string {
  return text !== undefined && text.length <= 2048 && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u.test(text);
}

/** Settings are for those who could make them by hand. That they do not come back undoes nothing. */
async function restoreSettings(
  exported: ExportedSkill,
  published: Published,
  { by, dryRun = false }: ImportOptions,
  context: RegistryContext,
): Promise<ImportedSkill> {
  const isPerson = (by.role === "admin" || by.role === "publisher") && by.agent === undefined;
  const skill = published.uid === undefined ? undefined : await context.store.findSkill(published.uid);
  if (dryRun || !isPerson || skill === undefined) return { ...published, restored: [] };
  const edit: SkillEdit = {
    // Between private and internal, grants decide.
    ...(published.isNew && exported.visibility === "public" && skill.visibility !== "public"
      ? { visibility: "public" }
      : {}),
    ...(Object.keys(skill.override).length === 0 ? overrideOf(exported) : {}),
  };
  const edited = await restoreEdit(skill.uid, edit, published, by, context);
  const agents = published.isNew ? await restoreGrants(skill.uid, exported.grants, by, context) : [];
  if (agents.length === 0) return edited;
  const { visibility } = (await context.store.findSkill(skill.uid)) ?? edited;
  return { ...edited, visibility, restored: [...edited.restored, "grants"] };
}

async function restoreEdit(
  uid: string,
  edit: SkillEdit,
  published: Published,
  by: ImportOptions["by"],
  context: RegistryContext,
): Promise<Published & Pick<ImportedSkill, "restored">> {
  const restored = Object.keys(edit);
  if (restored.length === 0) return { ...published, restored };
  try {
    const edited = await editSkill(uid, edit, { by }, context);
    return { ...published, visibility: edited.skill.visibility, restored };
  } catch (error) {
    if (!(error instanceof SkillError) || error.code === "STORE_FAILED") throw error;
    const warning = `What the archive says of ${restored.join(", ")} was not taken over: ${error.message}`;
    return { ...published, warnings: [...published.warnings, warning], restored: [] };
  }
}

function overrideOf({ override: { name, description, tags } }: ExportedSkill): SkillEdit {
  return {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(tags === undefined ? {} : { tags }),
  };
}
