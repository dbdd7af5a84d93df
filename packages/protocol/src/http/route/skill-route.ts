import { z } from "zod";
import { Digest } from "../../id.ts";
import { SkillStatus, Visibility } from "../../registry-event.ts";
import { byId, nextCursor, paging, RevisionNumber, SkillKey, viewerParams } from "../field.ts";
import { everyone, publishers, route } from "../route.ts";
import { SearchHitView, SkillDetail, SkillFileView, SkillRow } from "../skill-schema.ts";

const revision = { revision: RevisionNumber.optional().describe("By default, the current revision.") };
const Texts = z.array(z.string()).readonly();
const missing = ["SKILL_NOT_FOUND"] as const;
/** Failures of reading as another viewer or from folders. */
const unread = ["AGENT_NOT_FOUND", "NOT_READY", "IO_FAILED", "INTEGRITY_FAILED"] as const;

/** Finding, reading and editing skills. */
export const skillRoutes = {
  listSkills: route({
    method: "GET",
    path: "/v1/skills",
    tag: "skills",
    summary: "List skills, ordered by id",
    roles: everyone,
    query: z.strictObject({
      ...viewerParams,
      ...paging,
      view: z
        .enum(["visible", "all", "deleted"])
        .optional()
        .describe(
          "`visible` lists the skills that you can use. `all` adds those that you manage but cannot use, and for administrators all others. Administrators get `all` by default, except when they act as another viewer.",
        ),
      tag: z.string().max(128).optional(),
    }),
    answer: z.object({
      skills: z.array(SkillRow).readonly(),
      total: z.int().min(0),
      version: z.int().describe("Changes with every visible change."),
      nextCursor,
    }),
    condition: "read",
    errors: ["AGENT_NOT_FOUND"],
  }),
  searchSkills: route({
    method: "GET",
    path: "/v1/skills/search",
    tag: "skills",
    summary: "Search skills, best match first",
    roles: everyone,
    query: z.strictObject({
      ...viewerParams,
      q: z.string().min(1).max(1000),
      limit: paging.limit,
    }),
    answer: z.object({
      hits: z.array(SearchHitView).readonly(),
      fits: z.boolean().optional().describe("False when no skill clearly fits the query."),
      notes: z.array(z.string()).readonly().optional().describe("Models that the search did without."),
    }),
    condition: "read",
    errors: ["AGENT_NOT_FOUND"],
  }),
  getCatalogue: route({
    method: "GET",
    path: "/v1/catalogue",
    tag: "skills",
    summary: "The system prompt block that lists the available skills for an agent",
    roles: everyone,
    query: z.strictObject({
      ...viewerParams,
      format: z.enum(["xml", "xml-attr", "markdown", "json"]).optional(),
      model: z.string().max(128).optional().describe("Selects the best format for this model."),
      task: z.string().max(1000).optional().describe("Selects the skills to show if not all fit."),
    }),
    answer: z.object({
      text: z.string(),
      format: z.string(),
      tokens: z.int().min(0),
      inline: Texts,
      deferred: z.int().min(0),
      leftOut: Texts.describe("The skills that only search finds. Pinned skills are cut last."),
      shortened: Texts.describe("The skills whose descriptions were cut."),
      isComplete: z.boolean(),
      digest: Digest.describe("The SHA-256 of the text."),
    }),
    condition: "read",
    errors: ["AGENT_NOT_FOUND"],
  }),
  getSkill: route({
    method: "GET",
    path: "/v1/skills/{id}",
    tag: "skills",
    summary: "Show a skill with its instructions and its files",
    roles: everyone,
    params: byId,
    query: z.strictObject(viewerParams),
    answer: SkillDetail,
    content: "skill",
    condition: "read",
    errors: [...missing, ...unread],
  }),
  updateSkill: route({
    method: "PUT",
    path: "/v1/skills/{id}",
    tag: "skills",
    summary: "Override the displayed fields of a skill; use `toggle` for `enabled`, which is ignored here",
    roles: publishers,
    params: byId,
    body: z.strictObject({
      name: z.string().max(256).nullable().optional(),
      description: z.string().max(16_384).nullable().optional(),
      tags: z.array(z.string().max(128)).max(100).nullable().optional(),
      visibility: Visibility.optional(),
      enabled: z.unknown().optional(),
    }),
    answer: z.object({ row: SkillRow, status: z.enum(["edited", "unchanged"]) }),
    condition: "write",
    errors: [...missing, "CONFLICT", "POLICY_DENIED"],
  }),
  deleteSkill: route({
    method: "DELETE",
    path: "/v1/skills/{id}",
    tag: "skills",
    summary: "Delete a skill; `restore` undoes it",
    roles: publishers,
    params: byId,
    answer: z.object({ id: z.string(), uid: z.string(), status: z.string() }),
    condition: "write",
    errors: [...missing, "CONFLICT", "POLICY_DENIED"],
  }),
  restoreSkill: route({
    method: "POST",
    path: "/v1/skills/{id}/restore",
    tag: "skills",
    summary: "Restore a deleted skill",
    roles: publishers,
    params: byId,
    answer: z.object({ id: z.string(), uid: z.string(), status: z.string() }),
    condition: "write",
    errors: [...missing, "CONFLICT", "POLICY_DENIED"],
  }),
  toggleSkill: route({
    method: "POST",
    path: "/v1/skills/{id}/toggle",
    tag: "skills",
    summary: "Enable or disable a skill for everyone; enabling checks its dependencies again",
    roles: publishers,
    params: byId,
    body: z.strictObject({ enabled: z.boolean() }),
    answer: z.object({
      ok: z.literal(true),
      id: z.string(),
      enabled: z.boolean(),
      status: SkillStatus,
      reason: z.string().optional(),
      missing: Texts,
      warnings: Texts,
    }),
    condition: "write",
    errors: [...missing, ...unread, "CONFLICT", "POLICY_DENIED"],
  }),
  setStatus: route({
    method: "POST",
    path: "/v1/skills/{id}/status",
    tag: "skills",
    summary: "Archive or unarchive a skill",
    roles: publishers,
    params: byId,
    body: z.strictObject({ status: z.enum(["active", "archived"]), reason: z.string().max(500).optional() }),
    answer: z.object({ id: z.string(), status: SkillStatus, missing: Texts }),
    condition: "write",
    errors: [...missing, "CONFLICT", "POLICY_DENIED"],
  }),
  listFiles: route({
    method: "GET",
    path: "/v1/skills/{id}/files",
    tag: "skills",
    summary: "List the files of a revision",
    roles: everyone,
    params: byId,
    query: z.strictObject({ ...viewerParams, ...revision }),
    answer: z.object({
      files: z.array(SkillFileView).readonly(),
      treeHash: Digest,
      revision: z.int().optional(),
    }),
    condition: "read",
    errors: [...missing, ...unread, "REVISION_NOT_FOUND"],
  }),
  readFile: route({
    method: "GET",
    path: "/v1/skills/{id}/files/{path}",
    tag: "skills",
    summary: "Download one file; supports `Range`, and the ETag is the digest of the file",
    roles: everyone,
    params: z.strictObject({ id: SkillKey, path: z.string().min(1).max(4096) }),
    query: z.strictObject({ ...viewerParams, ...revision }),
    answer: "bytes",
    content: "skill",
    condition: "read",
    errors: [
      ...missing,
      ...unread,
      "REVISION_NOT_FOUND",
      "PATH_NOT_FOUND",
      "RESOURCE_OUTSIDE_SKILL",
      "RANGE_REFUSED",
    ],
  }),
} as const;
