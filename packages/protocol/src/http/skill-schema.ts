import { z } from "zod";
import { Diagnostic } from "../diagnostic.ts";
import { SkillEntry } from "../entry.ts";
import { Digest, SkillId, Trust } from "../id.ts";
import { Provenance, SkillStatus, Visibility } from "../registry-event.ts";
import { At } from "./field.ts";

const Texts = z.array(z.string()).readonly();

/** The registry data of a skill beside its SKILL.md. */
export const SkillFacts = z.object({
  uid: z.string(),
  owner: z.string(),
  visibility: Visibility,
  system: z.boolean().describe("Whether the skill is bundled with Skillhold."),
  enabled: z.boolean(),
  status: SkillStatus,
  reason: z
    .string()
    .optional()
    .describe("Why the skill is not active: `deps`, or a reason given by a person."),
  missing: Texts.describe("Dependencies that are missing on the gateway's machine, as `pip:name`."),
  revision: z.int().min(1),
  lastRevision: z.int().min(1),
  createdAt: At,
  updatedAt: At,
  deletedAt: At.optional(),
  canManage: z.boolean().describe("Whether the caller may change the skill."),
});
export type SkillFacts = Readonly<z.infer<typeof SkillFacts>>;

export const SkillRow = z.object({
  entry: SkillEntry,
  /** Absent for a skill in a folder of the gateway. */
  registry: SkillFacts.optional(),
  /** Whether the caller can use the skill, and why. */
  access: z.object({ isVisible: z.boolean(), reason: z.string(), message: z.string(), warnings: Texts }),
});
export type SkillRow = Readonly<z.infer<typeof SkillRow>>;

export const SkillFileView = z.object({
  path: z.string(),
  size: z.int().min(0),
  digest: Digest,
  executable: z.boolean(),
  role: z.string(),
});

export const SkillDetail = SkillRow.extend({
  body: z.string().describe("The instructions below the frontmatter."),
  frontmatter: z.record(z.string(), z.json()),
  treeHash: Digest,
  skillHash: Digest,
  files: z.array(SkillFileView).readonly(),
});
export type SkillDetail = Readonly<z.infer<typeof SkillDetail>>;

export const SearchHitView = z.object({
  row: SkillRow,
  hit: z.object({
    id: z.string(),
    score: z.number().describe("Higher is better. Scores are comparable only within one query."),
    parts: z
      .record(z.string(), z.number())
      .describe("Shares of the score: bm25, coverage, name, trigram, excluded, semantic, prior, rerank."),
    matched: Texts.describe("The words of the query that match."),
    fields: Texts,
    isWeak: z.boolean().describe("The hit may be there only because no skill fits."),
    copies: Texts.describe("Near copies of it that are not listed."),
  }),
  snippet: z.string(),
});

export const RevisionView = z.object({
  revision: z.int().min(1),
  isCurrent: z.boolean(),
  treeHash: Digest,
  skillHash: Digest,
  version: z.string().optional(),
  name: z.string(),
  description: z.string(),
  trust: Trust,
  provenance: Provenance,
  bytes: z.int().min(0),
  files: z.int().min(0),
  createdAt: At,
  purgedAt: At.optional(),
});

const Change = z
  .enum(["added", "removed", "changed", "mode"])
  .describe("`mode`: only the executable bit changed.");
const TreeFile = SkillFileView.omit({ role: true });
const DiffEnd = z.object({ revision: z.int().optional(), version: z.string().optional(), treeHash: Digest });
export const SkillDiffView = z.object({
  from: DiffEnd,
  to: DiffEnd,
  files: z
    .array(
      z.object({
        path: z.string(),
        change: Change,
        from: TreeFile.optional(),
        to: TreeFile.optional(),
        text: z.string().optional().describe("The change as a unified diff."),
        note: z.string().optional().describe("Why the text is missing."),
      }),
    )
    .readonly(),
  fields: z
    .array(z.object({ field: z.string(), from: z.json().optional(), to: z.json().optional() }))
    .readonly(),
});

/** The result for one skill of an archive. */
export const PublicationView = z.discriminatedUnion("status", [
  z.object({ status: z.enum(["published", "unchanged"]), ...publishedFields() }),
  z.object({
    status: z.literal("failed"),
    id: z.string().optional(),
    path: z.string(),
    error: z.object({ code: z.string(), message: z.string(), hint: z.string() }),
    diagnostics: z.array(Diagnostic).readonly(),
  }),
]);

function publishedFields() {
  return {
    id: SkillId,
    path: z
      .string()
      .optional()
      .describe("The folder of the skill in its archive, or as the publisher named it."),
    uid: z.string().optional(),
    revision: z.int().min(1),
    isNew: z.boolean(),
    isDryRun: z.boolean(),
    version: z.string().optional(),
    treeHash: Digest,
    skillHash: Digest,
    trust: Trust,
    visibility: Visibility,
    granted: z
      .array(z.object({ kind: z.enum(["agent", "user"]), key: z.string() }))
      .readonly()
      .optional()
      .describe("The agent or user that this release grants a new skill to."),
    state: SkillStatus,
    bytes: z.int().min(0),
    files: z.int().min(0),
    omitted: z
      .array(z.object({ path: z.string(), reason: z.string(), message: z.string() }))
      .readonly()
      .describe("Entries of the folder that are not part of the skill."),
    diagnostics: z.array(Diagnostic).readonly(),
    warnings: Texts,
    missing: Texts,
    changes: z
      .array(z.object({ path: z.string(), change: Change }))
      .readonly()
      .optional()
      .describe("For a dry run: the changes to the current revision."),
    guard: z
      .object({
        verdict: z.enum(["block", "review", "clean"]),
        widened: z
          .array(
            z.object({
              capability: z.string(),
              value: z.string().optional(),
              seen: z.array(z.object({ file: z.string(), line: z.int() })).readonly(),
            }),
          )
          .readonly(),
      })
      .optional()
      .describe("The guard's verdict, and the capabilities that the current revision does not have."),
  };
}
