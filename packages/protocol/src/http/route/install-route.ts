import { z } from "zod";
import { Diagnostic } from "../../diagnostic.ts";
import { Digest } from "../../id.ts";
import { SkillKey } from "../field.ts";
import { publishers, route } from "../route.ts";

const text = z.string().max(2048);

/** What an install would do, for a person to look at before they agree. */
export const InstallPreview = z.looseObject({
  id: z.string(),
  plan: z.enum(["install", "update", "merge", "replace", "unchanged", "conflict"]),
  description: z.string(),
  treeHash: Digest,
  bytes: z.int().min(0),
  files: z
    .array(z.object({ path: z.string(), size: z.int(), executable: z.boolean(), digest: Digest }))
    .readonly(),
  firstSeen: z.iso.datetime(),
  findings: z.array(Diagnostic).readonly(),
});

const InstallResult = z.union([
  z.looseObject({
    id: z.string(),
    status: z.enum(["installed", "updated", "merged", "unchanged"]),
    treeHash: Digest,
    revision: z.int().min(1).optional(),
  }),
  z.looseObject({
    id: z.string(),
    status: z.literal("failed"),
    error: z.object({ code: z.string(), message: z.string(), hint: z.string() }),
  }),
]);

export const installRoutes = {
  installSkills: route({
    method: "POST",
    path: "/v1/skills/install",
    tag: "releases",
    summary: "Install skills from a git repository, a website or a registry",
    roles: publishers,
    body: z.strictObject({
      source: text.min(1).describe("Such as owner/repo, an https URL, clawhub:@owner/slug or npm:name."),
      skills: z.array(text).max(200).optional().describe("Only these skills of the source."),
      id: SkillKey.optional().describe("Install under this id; for one skill."),
      replace: z.boolean().optional().describe("Replace a skill that was not installed from a source."),
      approved: z
        .record(z.string().max(64), Digest)
        .optional()
        .describe("The tree hash of each skill that a person agreed to; without it the answer is a preview."),
    }),
    answer: z.object({
      previews: z.array(InstallPreview).readonly(),
      skills: z.array(InstallResult).readonly(),
      notes: z.array(z.string()).readonly(),
    }),
    errors: [
      "SKILL_INVALID",
      "SKILL_NOT_FOUND",
      "PATH_NOT_FOUND",
      "ARCHIVE_INVALID",
      "RESOURCE_OUTSIDE_SKILL",
      "CONFLICT",
      "POLICY_DENIED",
      "NOT_READY",
      "REMOTE_FAILED",
      "INTEGRITY_FAILED",
      "TIMED_OUT",
      "IO_FAILED",
      "INTERRUPTED",
    ],
  }),
} as const;
