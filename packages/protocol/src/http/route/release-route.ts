import { z } from "zod";
import { Digest } from "../../id.ts";
import { byId, Flag, Name, nextCursor, paging, RevisionNumber, SkillKey } from "../field.ts";
import { admins, everyone, people, publishers, route } from "../route.ts";
import { PublicationView, RevisionView, SkillDiffView } from "../skill-schema.ts";

const revision = { revision: RevisionNumber.optional().describe("By default, the current revision.") };
const Texts = z.array(z.string()).readonly();
const missing = ["SKILL_NOT_FOUND"] as const;

/** Releases and revisions. */
export const releaseRoutes = {
  uploadSkills: route({
    method: "POST",
    path: "/v1/skills/upload",
    tag: "releases",
    summary: "Publish the skills of a ZIP or tar.gz, each as a new revision",
    roles: publishers,
    query: z.strictObject({
      dryRun: Flag.optional().describe("Report the changes without making them."),
      id: SkillKey.optional().describe("Publish under this id; only for an archive with one skill."),
      filename: Name.optional().describe("The origin to record."),
    }),
    body: "archive",
    answer: z.object({ archiveDigest: Digest, skills: z.array(PublicationView).readonly() }),
    errors: [
      "ARCHIVE_INVALID",
      "SKILL_INVALID",
      "GUARD_BLOCKED",
      "GUARD_FAILED",
      "CONFLICT",
      "IO_FAILED",
      "INTERRUPTED",
    ],
  }),
  listVersions: route({
    method: "GET",
    path: "/v1/skills/{id}/versions",
    tag: "releases",
    summary: "List the revisions, newest first",
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
    summary: "Compare two revisions",
    roles: everyone,
    params: byId,
    query: z.strictObject({ from: RevisionNumber.optional(), to: RevisionNumber.optional() }),
    answer: SkillDiffView,
    content: "skill",
    condition: "read",
    errors: [...missing, "REVISION_NOT_FOUND", "INTEGRITY_FAILED"],
  }),
  rollbackSkill: route({
    method: "POST",
    path: "/v1/skills/{id}/rollback",
    tag: "releases",
    summary: "Make an earlier revision current",
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
    summary: "Download a revision as an archive; the bytes of a revision never change",
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
    summary: "Export skills as an archive for `import`",
    roles: people,
    query: z.strictObject({
      skills: z.string().max(8192).optional().describe("Ids separated by commas; by default all of yours."),
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
    summary: "Import an exported archive",
    roles: admins,
    query: z.strictObject({ dryRun: Flag.optional() }),
    body: "archive",
    answer: z.object({
      archiveDigest: Digest,
      hasManifest: z.boolean(),
      skills: z.array(z.intersection(PublicationView, z.object({ restored: Texts }))).readonly(),
    }),
    errors: ["ARCHIVE_INVALID", "IO_FAILED", "INTERRUPTED"],
  }),
} as const;
