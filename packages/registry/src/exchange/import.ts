import { join } from "node:path";
import {
  type ArchiveBytes,
  type CheckedArchive,
  checkArchive,
  type UnpackedFile,
} from "@skillhold/core/archive";
import { MemoryTree } from "@skillhold/core/bundle";
import { endsBatch, type Publication, type Published } from "@skillhold/core/session";
import type { Actor, Diagnostic, Digest } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import { grantSkill } from "../access/grants.ts";
import {
  EXPORT_MANIFEST,
  EXPORT_MANIFEST_BYTES,
  type ExportedGrant,
  type ExportedSkill,
  type ExportManifest,
  readExportManifest,
} from "../format/export-manifest.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import type { StagedSkill } from "../record/staged-skill.ts";
import { editSkill, type SkillEdit } from "../release/edit.ts";
import { publishStaged } from "../release/publish.ts";
import { type PublishArchiveOptions, publishArchive } from "../release/publish-archive.ts";
import { stageFolder } from "../release/stage.ts";

export interface ImportOptions extends Omit<PublishArchiveOptions, "id" | "taken"> {
  /**
   * The limits for an export as a whole, which may be an entire registry. Each skill, and any other archive,
   * uses the limits of the context.
   */
  readonly exportLimits?: Limits;
}

export interface ImportReport {
  readonly archiveDigest: Digest;
  /** False for an archive without an export manifest, which is published like any other archive. */
  readonly hasManifest: boolean;
  readonly skills: readonly ImportedSkill[];
}

export type ImportedSkill = Publication & {
  /** The restored settings: `visibility`, `name`, `description`, `tags`, `grants`. */
  readonly restored: readonly string[];
};

/**
 * Imports an exported archive, each skill on its own and under its id. The files must match the manifest's
 * hashes. Imported skills have third-party trust unless an administrator imports them; an administrator also
 * restores visibility, grants and overrides of new skills.
 */
export async function importSkills(
  archive: ArchiveBytes,
  options: ImportOptions,
  context: RegistryContext,
): Promise<ImportReport> {
  const { signal, exportLimits = context.limits } = options;
  const called = signal === undefined ? {} : { signal };
  const checked = await checkArchive(archive, { limits: archiveLimits(exportLimits), ...called });
  const manifest = await verifyArchive(checked);
  if (manifest === undefined) return await importPlain(archive, options, context);
  rejectStrays(checked.files, manifest, exportLimits);
  const skills = new Map<string, ImportedSkill>();
  for await (const { exported, tree } of readSkills(checked, manifest)) {
    const skill = await importOne(exported, tree, checked.digest, options, context);
    skills.set(exported.id, skill);
    options.onResult?.(skill);
  }
  const ordered = manifest.skills.flatMap(({ id }) => skills.get(id) ?? []);
  return { archiveDigest: checked.digest, hasManifest: true, skills: ordered };
}

/** Each path starts with an id and a slash; the rest is checked against the limits when it is staged. */
function archiveLimits(limits: Limits): Limits {
  return { ...limits, pathDepth: limits.pathDepth + 1, pathBytes: limits.pathBytes + 65 };
}

/** Reads all of an export before any of its skills is published. Returns undefined for an archive without a manifest. */
async function verifyArchive({ files, read }: CheckedArchive): Promise<ExportManifest | undefined> {
  const listed = files.find(({ path }) => path === EXPORT_MANIFEST);
  if (listed === undefined) return undefined;
  if (listed.size > EXPORT_MANIFEST_BYTES)
    throw refuse(`${EXPORT_MANIFEST} is larger than ${EXPORT_MANIFEST_BYTES} bytes.`);
  let manifest: Uint8Array = new Uint8Array();
  for await (const { path, bytes } of read()) if (path === EXPORT_MANIFEST) manifest = bytes;
  return readExportManifest(manifest);
}

interface SkillTree {
  readonly exported: ExportedSkill;
  readonly tree: MemoryTree;
}

/**
 * The skills of an export, each when its last file was read. An archive that keeps the files of each skill together, as
 * exports do, needs the memory of one skill at a time.
 */
async function* readSkills(
  { files, read }: CheckedArchive,
  { skills }: ExportManifest,
): AsyncGenerator<SkillTree> {
  const counts = new Map<string, number>();
  for (const { path } of files) counts.set(idOf(path), (counts.get(idOf(path)) ?? 0) + 1);
  const unread = new Map<string, SkillTree & { left: number }>();
  for (const exported of skills) {
    const left = counts.get(exported.id) ?? 0;
    const skill = { exported, tree: new MemoryTree(), left };
    if (left === 0) yield skill;
    else unread.set(exported.id, skill);
  }
  for await (const { path, bytes, executable } of read()) {
    const skill = unread.get(idOf(path));
    if (skill === undefined) continue;
    skill.tree.add(path, bytes, executable);
    skill.left -= 1;
    if (skill.left > 0) continue;
    unread.delete(skill.exported.id);
    yield skill;
  }
}

/** The first folder of a path, which is the id of its skill. */
function idOf(path: string): string {
  return path.split("/", 1)[0] ?? "";
}

async function importPlain(
  archive: ArchiveBytes,
  options: ImportOptions,
  context: RegistryContext,
): Promise<ImportReport> {
  const { archiveDigest, skills } = await publishArchive(archive, options, context);
  return { archiveDigest, hasManifest: false, skills: skills.map((each) => ({ ...each, restored: [] })) };
}

/** An export contains only what its manifest lists. */
function rejectStrays(files: readonly UnpackedFile[], manifest: ExportManifest, limits: Limits): void {
  if (manifest.skills.length > limits.archiveSkills)
    throw new SkillError("LIMIT_EXCEEDED", `The archive has more than ${limits.archiveSkills} skills.`, {
      details: { limit: "archiveSkills", max: limits.archiveSkills },
    });
  const ids = new Set<string>(manifest.skills.map(({ id }) => id));
  const stray = files.find(({ path }) => path !== EXPORT_MANIFEST && !ids.has(idOf(path)));
  if (stray !== undefined) throw refuse(`${stray.path} does not belong to a skill in ${EXPORT_MANIFEST}.`);
}

function refuse(message: string): SkillError {
  return new SkillError("ARCHIVE_INVALID", message, { hint: "Export the skills again." });
}

async function importOne(
  exported: ExportedSkill,
  tree: MemoryTree,
  archiveDigest: Digest,
  options: ImportOptions,
  context: RegistryContext,
): Promise<ImportedSkill> {
  const { id, trust: exportedTrust } = exported;
  try {
    const staged = await stageExported(id, tree, options, context);
    rejectOther(staged, exported);
    const provenance = {
      source: "import",
      ...claimsOf(exported),
      ...options.provenance,
      archiveDigest,
    } as const;
    const published = await publishStaged(staged, { ...options, provenance, exportedTrust }, context);
    return await restoreSettings(exported, published, options, context);
  } catch (error) {
    if (!(error instanceof SkillError) || endsBatch(error)) throw error;
    const { code, message, hint, details } = error;
    // `invalidSkill` puts the diagnostics in the details.
    const diagnostics = (details["diagnostics"] ?? []) as readonly Diagnostic[];
    return { id, path: id, status: "failed", error: { code, message, hint }, diagnostics, restored: [] };
  }
}

/** Shared helpers were copied into the skill before it was exported. */
async function stageExported(
  id: string,
  tree: MemoryTree,
  { signal }: ImportOptions,
  { limits }: RegistryContext,
): Promise<StagedSkill> {
  const folder = join(tree.root, id);
  if (tree.stat(folder) === undefined) throw damaged(id, "is missing");
  return await stageFolder(folder, { id, within: folder, tree, signal }, limits);
}

/** The tree hash covers the files; all other file data follows from it. */
function rejectOther(staged: StagedSkill, { id, treeHash, skillHash, version }: ExportedSkill): void {
  if (staged.treeHash !== treeHash)
    throw damaged(id, `has the tree hash ${staged.treeHash}, not ${treeHash}`);
  if (staged.skillHash !== skillHash)
    throw damaged(id, `has the SKILL.md hash ${staged.skillHash}, not ${skillHash}`);
  if (staged.record.version !== version) throw damaged(id, "has another version than the manifest");
}

function damaged(id: string, problem: string): SkillError {
  return new SkillError("INTEGRITY_FAILED", `The archive is damaged: the skill ${id} ${problem}.`, {
    hint: "Fetch the archive again, or export the skill again.",
    details: { id },
  });
}

/** The origin that the archive claims. The provenance also records that it comes from an import. */
function claimsOf({ provenance: { originUrl, ref } }: ExportedSkill) {
  return { ...(isLine(originUrl) ? { originUrl } : {}), ...(isLine(ref) ? { ref } : {}) };
}

/** Shown to people, so it must be one line of visible text. */
function isLine(text: string | undefined): text is string {
  return text !== undefined && text.length <= 2048 && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u.test(text);
}

/**
 * Only administrators restore access settings from an archive. A setting that cannot be restored does not
 * undo the import.
 */
async function restoreSettings(
  exported: ExportedSkill,
  published: Published,
  { by, dryRun = false }: ImportOptions,
  context: RegistryContext,
): Promise<ImportedSkill> {
  const isAdmin = by.role === "admin" && by.agent === undefined;
  const { uid, isNew } = published;
  if (dryRun || !isAdmin || !isNew || uid === undefined) return { ...published, restored: [] };
  const edit: SkillEdit = {
    // Grants decide between private and internal.
    ...(exported.visibility === "public" ? { visibility: "public" } : {}),
    ...overrideOf(exported),
  };
  const edited = await restoreEdit(uid, edit, published, by, context);
  const agents = await restoreGrants(uid, exported.grants, by, context);
  if (agents.length === 0) return edited;
  const { visibility } = (await context.store.findSkill(uid)) ?? edited;
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
    if (!(error instanceof SkillError) || endsBatch(error)) throw error;
    const warning = `The settings ${restored.join(", ")} were not restored: ${error.message}`;
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

/**
 * Grants a skill to the agents that the archive names and that exist here, and returns their keys. Only for
 * administrators.
 */
async function restoreGrants(
  uid: string,
  grants: readonly ExportedGrant[],
  by: Actor,
  context: RegistryContext,
): Promise<readonly string[]> {
  if (by.role !== "admin" || by.agent !== undefined || grants.length === 0) return [];
  const known = new Set((await context.store.listAgents()).map(({ key }) => key));
  // Exports of earlier releases can give an agent the right to manage. The agent gets the use of the skill.
  const given = new Set(grants.map(({ agent }) => agent));
  const restored: string[] = [];
  for (const key of given) {
    if (!known.has(key)) continue;
    await grantSkill(uid, { kind: "agent", key }, { by }, context);
    restored.push(key);
  }
  return restored;
}
