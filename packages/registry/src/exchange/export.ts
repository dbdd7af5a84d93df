import { type ArchiveFile, writeArchive } from "@skillhold/core/archive";
import type { Digest } from "@skillhold/protocol";
import { toClawhubBundle } from "../format/clawhub-bundle.ts";
import {
  EXPORT_MANIFEST,
  type ExportedGrant,
  type ExportedSkill,
  writeExportManifest,
} from "../format/export-manifest.ts";
import { notFound, visibilityWith } from "../ownership/ownership.ts";
import type { Grant } from "../record/grant.ts";
import type { RegisteredSkill } from "../record/registered-skill.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import type { StagedFile } from "../record/staged-skill.ts";
import { ExportMeter, type LoadedSkill, loadSkill, rejectMore } from "../release/load-skill.ts";

/** `clawhub` is a ZIP that ClawHub accepts, without a manifest. */
export const exportFormats = ["zip", "tar.gz", "clawhub"] as const;
export type ExportFormat = (typeof exportFormats)[number];

export interface SkillExport {
  readonly archive: Uint8Array;
  readonly skills: readonly { readonly id: string; readonly revision: number; readonly treeHash: Digest }[];
  /** Messages about omitted files and license conditions. */
  readonly notes: readonly string[];
}

export interface ExportContext extends RegistryContext {
  /** Whether the manifest includes the grants of a skill; by default true. */
  readonly tellsGrants?: (skill: RegisteredSkill) => boolean;
}

/**
 * Exports the current revisions of skills as an archive with a manifest. Equal skills give equal bytes. `all`
 * excludes system skills, which every registry has.
 *
 * Contract: the caller may see these skills.
 */
export async function exportSkills(
  ids: readonly string[] | "all",
  format: ExportFormat,
  context: ExportContext,
): Promise<SkillExport> {
  const chosen = await findExported(ids, context);
  rejectMore("archiveSkills", chosen.length, context.limits);
  const skills: LoadedSkill[] = [];
  const meter = new ExportMeter(context.limits);
  for (const skill of chosen) skills.push(await loadSkill(skill, meter, context));
  const { files, notes } = format === "clawhub" ? clawhubFiles(skills) : manifestFiles(skills, context);
  const archive = await writeArchive(format === "tar.gz" ? "tar.gz" : "zip", files);
  rejectMore("archiveBytes", archive.length, context.limits);
  const summary = skills.map(({ skill, revision }) => ({
    id: skill.id,
    revision: revision.revision,
    treeHash: revision.treeHash,
  }));
  return { archive, skills: summary, notes };
}

/** Skills by id or uid, without duplicates, ordered by id. */
export async function findExported(
  ids: readonly string[] | "all",
  { store }: RegistryContext,
): Promise<readonly RegisteredSkill[]> {
  if (ids === "all") {
    const all = await store.listSkills();
    return all.filter(({ isSystem, status }) => !isSystem && status !== "deleted");
  }
  const found = new Map<string, RegisteredSkill>();
  for (const id of ids) {
    const skill = await store.findSkill(id);
    if (skill === undefined || skill.status === "deleted") throw notFound(id);
    found.set(skill.id, skill);
  }
  return [...found.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

interface ExportFiles {
  readonly files: readonly ArchiveFile[];
  readonly notes: readonly string[];
}

function manifestFiles(
  skills: readonly LoadedSkill[],
  { tellsGrants = () => true }: ExportContext,
): ExportFiles {
  const files = skills.flatMap(({ skill, files }) => below(skill.id, files));
  const disclosed = skills.map((each) => (tellsGrants(each.skill) ? each : { ...each, grants: [] }));
  const manifest = writeExportManifest(disclosed.map(describe));
  return { files: [...files, { path: EXPORT_MANIFEST, executable: false, content: manifest }], notes: [] };
}

function below(id: string, files: readonly StagedFile[]): readonly ArchiveFile[] {
  return files.map(({ path, executable, content }) => ({ path: `${id}/${path}`, executable, content }));
}

/** Publisher, time and local origin are specific to this registry and not exported. */
function describe({ skill, revision, grants }: LoadedSkill): ExportedSkill {
  const { treeHash, skillHash, version, trust, provenance } = revision;
  const { originUrl, ref } = provenance;
  const exported = exportGrants(grants);
  return {
    id: skill.id,
    treeHash,
    skillHash,
    ...(version === undefined ? {} : { version }),
    trust,
    visibility: visibilityWith(exported.length, skill.visibility),
    override: skill.override,
    grants: exported,
    provenance: { ...(originUrl === undefined ? {} : { originUrl }), ...(ref === undefined ? {} : { ref }) },
  };
}

/**
 * Pinned grants are omitted: revision numbers differ elsewhere, and a grant without its pin would allow more.
 */
function exportGrants(grants: readonly Grant[]): readonly ExportedGrant[] {
  const exported = grants.filter(({ grantee, pin }) => grantee.kind === "agent" && pin === undefined);
  return exported.map(({ grantee, canManage }) => {
    return { agent: grantee.key, ...(canManage ? { canManage: true } : {}) };
  });
}

function clawhubFiles(skills: readonly LoadedSkill[]): ExportFiles {
  const bundles = skills.map(({ skill, files }) => ({ files, bundle: toClawhubBundle(skill.id, files) }));
  const notes = bundles.flatMap(({ bundle }) => [
    ...bundle.notes,
    ...bundle.leftOut.map(({ path, reason }) => `${bundle.slug}/${path} was left out (${reason}).`),
  ]);
  const files = bundles.flatMap(({ files: all, bundle }) => {
    const kept = new Set(bundle.files.map(({ path }) => path));
    return below(
      bundle.slug,
      all.filter(({ path }) => kept.has(path)),
    );
  });
  return { files, notes: [...new Set(notes)] };
}
