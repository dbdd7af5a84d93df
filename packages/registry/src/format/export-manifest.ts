import { parseBoundedJson } from "@skillhold/core/text";
import { Digest, SkillId, Trust, Visibility } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { z } from "zod";

/** At the root of an archive. Skills are folders, so no skill can have this name. */
export const EXPORT_MANIFEST = "skillhold-export.json";
export const EXPORT_MANIFEST_BYTES = 4 * 1024 * 1024;

/** As long as a frontmatter may be, so that every published skill can be exported. */
const text = z.string().max(65_536);

/** An agent's key. Other ids are meaningless in another registry, and users are managed by each registry. */
const ExportedGrant = z.object({
  agent: z.string().min(1).max(256),
  canManage: z.literal(true).optional(),
});
export type ExportedGrant = Readonly<z.infer<typeof ExportedGrant>>;

const ExportedSkill = z.object({
  id: SkillId,
  treeHash: Digest,
  skillHash: Digest,
  /** The author's version. */
  version: text.optional(),
  /** The trust level. Absent in older archives. */
  trust: Trust.optional(),
  visibility: Visibility,
  /** Fields set by an administrator in place of those in SKILL.md. */
  override: z.object({
    name: text.optional(),
    description: text.optional(),
    tags: z.array(z.string().max(256)).max(100).readonly().optional(),
  }),
  grants: z.array(ExportedGrant).max(10_000).readonly(),
  /** The claimed origin of the skill. The importing registry records who imported it and when. */
  provenance: z.object({ originUrl: text.optional(), ref: text.optional() }),
});
export type ExportedSkill = Readonly<z.infer<typeof ExportedSkill>>;

const ExportManifest = z.object({
  format: z.literal("skillhold-export"),
  version: z.literal(1),
  skills: z.array(ExportedSkill).readonly(),
});
export type ExportManifest = Readonly<z.infer<typeof ExportManifest>>;

export function readExportManifest(bytes: Uint8Array): ExportManifest {
  const checked = ExportManifest.safeParse(parseJson(bytes));
  if (checked.error !== undefined) {
    const [issue] = checked.error.issues;
    throw refuse(`${issue?.path.map(String).join(".") ?? ""}: ${issue?.message ?? ""}`);
  }
  const seen = new Set<string>();
  for (const { id } of checked.data.skills) {
    if (seen.has(id)) throw refuse(`${id} is listed twice`);
    seen.add(id);
  }
  return checked.data;
}

/** Equal manifests give equal bytes: skills are ordered by id, and fields by the schema. */
export function writeExportManifest(skills: readonly ExportedSkill[]): Uint8Array {
  const sorted = skills.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const manifest = ExportManifest.parse({ format: "skillhold-export", version: 1, skills: sorted });
  return new TextEncoder().encode(`${JSON.stringify(manifest, null, 2)}\n`);
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return parseBoundedJson(bytes);
  } catch (error) {
    throw refuse("the file is not JSON", error);
  }
}

function refuse(problem: string, cause?: unknown): SkillError {
  return new SkillError("ARCHIVE_INVALID", `${EXPORT_MANIFEST} is invalid: ${problem}.`, {
    hint: "Export the skills again, or delete the file to publish the archive like any other.",
    details: { entry: EXPORT_MANIFEST },
    cause,
  });
}
