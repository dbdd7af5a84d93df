import { z } from "zod";
import { Digest } from "../id.ts";
import { SkillStatus, Visibility } from "../registry-event.ts";
import { byId, lookingAs, nextCursor, paging, RevisionNumber, SkillKey } from "./field.ts";
import { everyone, publishers, route } from "./route.ts";
import { SearchHit, SkillDetail, SkillFile, SkillRow } from "./skill-schema.ts";

const revision = { revision: RevisionNumber.optional().describe("The current one when it is left out.") };
const Texts = z.array(z.string()).readonly();
const missing = ["SKILL_NOT_FOUND"] as const;
/** Of what is read through another's eyes, or out of folders. */
const unread = ["AGENT_NOT_FOUND", "NOT_READY", "IO_FAILED", "INTEGRITY_FAILED"] as const;

/** Finding and reading skills, and changing what is said of them. */
export const skillRoutes = {
  listSkills: route({
    method: "GET",
    path: "/v1/skills",
    tag: "skills",
    summary: "List skills, ordered by id",
    roles: everyone,
    query: z.strictObject({
      ...lookingAs,
      ...paging,
      view: z
        .enum(["visible", "all", "deleted"])
        .optional()
        .describe(
          "`visible` is what there is for you. `all` adds what you manage and cannot use, for administrators everything: theirs is `all` when it is left out, but for what they look at as another.",
        ),
      tag: z.string().max(128).optional(),
    }),
    answer: z.object({
      skills: z.array(SkillRow).readonly(),
      total: z.int().min(0),
      version: z.int().describe("Is another number after each change of what anyone may see."),
      nextCursor,
    }),
    condition: "read",
    errors: ["AGENT_NOT_FOUND"],
  }),
  searchSkills: route({
    method: "GET",
    path: "/v1/skills/search",
    tag: "skills",
    summary: "Find skills by what they are about, the best first",
    roles: everyone,
    query: z.strictObject({
      ...lookingAs,
      q: z.string().min(1).max(1000),
      limit: paging.limit,
    }),
    answer: z.object({ hits: z.array(SearchHit).readonly() }),
    condition: "read",
    errors: ["AGENT_NOT_FOUND"],
  }),
  getCatalogue: route({
    method: "GET",
    path: "/v1/catalogue",
    tag: "skills",
    summary: "The block of a system prompt that tells an agent which skills there are",
    roles: everyone,
    query: z.strictObject({
      ...lookingAs,
      format: z.enum(["xml", "xml-attr", "markdown", "json"]).optional(),
      model: z.string().max(128).optional().describe("Chooses the format that suits it."),
      task: z.string().max(1000).optional().describe("Decides which skills are shown when not all fit."),
    }),
    answer: z.object({
      text: z.string(),
      format: z.string(),
      tokens: z.int().min(0),
      inline: Texts,
      deferred: z.int().min(0),
      isComplete: z.boolean(),
    }),
    condition: "read",
    errors: ["AGENT_NOT_FOUND"],
  }),
  getSkill: route({
    method: "GET",
    path: "/v1/skills/{id}",
    tag: "skills",
    summary: "One skill with its instructions and the list of its files",
    roles: everyone,
    params: byId,
    query: z.strictObject(lookingAs),
    answer: SkillDetail,
    content: "skill",
    condition: "read",
    errors: [...missing, ...unread],
  }),
  updateSkill: route({
    method: "PUT",
    path: "/v1/skills/{id}",
    tag: "skills",
    summary: "Change what is shown of a skill; `enabled` is ignored here, `toggle` is for that",
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
    summary: "Take a skill away; `restore` brings it back",
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
    summary: "Bring a deleted skill back",
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
    summary: "Switch a skill on or off for everyone; on looks again at what it depends on",
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
    summary: "Archive a skill, or take it out of the archive",
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
    query: z.strictObject({ ...lookingAs, ...revision }),
    answer: z.object({
      files: z.array(SkillFile).readonly(),
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
    summary: "The bytes of one file; `Range` is understood, and the ETag is the file's digest",
    roles: everyone,
    params: z.strictObject({ id: SkillKey, path: z.string().min(1).max(4096) }),
    query: z.strictObject({ ...lookingAs, ...revision }),
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
