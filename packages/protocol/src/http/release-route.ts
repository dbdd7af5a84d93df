import { z } from "zod";
import { Digest } from "../id.ts";
import { byId, Flag, Name, nextCursor, paging, RevisionNumber, SkillKey } from "./field.ts";
import { admins, everyone, people, publishers, route } from "./route.ts";
import { Publication, RevisionView, SkillDiff } from "./skill-schema.ts";

const revision = { revision: RevisionNumber.optional().describe("The current one when it is left out.") };
const Texts = z.array(z.string()).readonly();
const missing = ["SKILL_NOT_FOUND"] as const;

/** The way of a release. */
export const releaseRoutes = {
  uploadSkills: route({
    method: "POST",
    path: "/v1/skills/upload",
    tag: "releases",
    summary: "Publish the skills of a ZIP or tar.gz, each as a new revision",
    roles: publishers,
    query: z.strictObject({
      dryRun: Flag.optional().describe("Say what would happen, and change nothing."),
      id: SkillKey.optional().describe("Publish under this id; for an archive with one skill."),
      filename: Name.optional().describe("For the record of where it came from."),
    }),
    body: "archive",
    answer: z.object({ archiveDigest: Digest, skills: z.array(Publication).readonly() }),
    errors: ["ARCHIVE_INVALID", "SKILL_INVALID", "CONFLICT", "IO_FAILED", "INTERRUPTED"],
  }),
  listVersions: route({
    method: "GET",
    path: "/v1/skills/{id}/versions",
    tag: "releases",
    summary: "List the revisions, the newest first",
    roles: everyone,
    params: byId,
    query: z.strictObject(paging),
    answer: z.object({ versions: z.array(RevisionView).readonly(), nextCursor }),
    condition: "read",
    errors: missing,
  }),
  diffVersions: route({
    method: "GET",
    path: "/v1/skills/{id}/diff",
    tag: "releases",
    summary: "What changed between two revisions",
    roles: everyone,
    params: byId,
    query: z.strictObject({ from: RevisionNumber.optional(), to: RevisionNumber.optional() }),
    answer: SkillDiff,
    content: "skill",
    condition: "read",
    errors: [...missing, "REVISION_NOT_FOUND", "INTEGRITY_FAILED"],
  }),
  rollbackSkill: route({
    method: "POST",
    path: "/v1/skills/{id}/rollback",
    tag: "releases",
    summary: "Let an earlier revision count again",
    roles: publishers,
    params: byId,
    body: z.strictObject({ revision: z.int().min(1) }),
    answer: z.object({ id: z.string(), from: z.int(), revision: z.int(), treeHash: Digest }),
    condition: "write",
    errors: [...missing, "REVISION_NOT_FOUND", "CONFLICT", "POLICY_DENIED"],
  }),
  downloadSkill: route({
    method: "GET",
    path: "/v1/skills/{id}/archive",
    tag: "releases",
    summary: "A revision as an archive; the same revision always has the same bytes",
    roles: everyone,
    params: byId,
    query: z.strictObject({ ...revision, format: z.enum(["zip", "tar.gz"]).optional() }),
    answer: "bytes",
    content: "skill",
    condition: "read",
    errors: [...missing, "REVISION_NOT_FOUND", "NOT_READY", "IO_FAILED", "INTEGRITY_FAILED"],
  }),
  exportSkills: route({
    method: "GET",
    path: "/v1/export",
    tag: "releases",
    summary: "Skills as one archive that `import` takes in elsewhere",
    roles: people,
    query: z.strictObject({
      skills: z
        .string()
        .max(8192)
        .optional()
        .describe("Ids with commas between; all of yours when left out."),
      format: z.enum(["zip", "tar.gz", "clawhub"]).optional(),
    }),
    answer: "bytes",
    content: "skill",
    errors: [...missing, "LIMIT_EXCEEDED", "CONFLICT", "POLICY_DENIED", "INTEGRITY_FAILED"],
  }),
  importSkills: route({
    method: "POST",
    path: "/v1/import",
    tag: "releases",
    summary: "Take in what `export` made",
    roles: admins,
    query: z.strictObject({ dryRun: Flag.optional() }),
    body: "archive",
    answer: z.object({
      archiveDigest: Digest,
      hasManifest: z.boolean(),
      skills: z.array(z.intersection(Publication, z.object({ restored: Texts }))).readonly(),
    }),
    errors: ["ARCHIVE_INVALID", "IO_FAILED", "INTERRUPTED"],
  }),
} as const;
