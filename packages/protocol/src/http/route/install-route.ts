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
  waitsUntil: z.iso
    .datetime()
    .optional()
    .describe("When the release is old enough to replace the installed version."),
  findings: z.array(Diagnostic).readonly(),
  origin: z
    .looseObject({
      verified: z.enum(["none", "digest", "signature"]),
      spec: z.string().optional(),
      publisher: z.string().optional(),
      release: z.string().optional(),
      commit: z.string().optional(),
      releasedAt: z.string().optional(),
      warnings: z.array(z.string()).readonly().optional(),
    })
    .describe("Where the skill comes from."),
  signature: z.looseObject({
    status: z.enum(["none", "verified", "untrusted", "invalid"]),
    signer: z.string().optional(),
    reason: z.string().optional(),
  }),
  abilities: z.array(z.string()).readonly().describe("What the skill can do, in plain words."),
  concerns: z
    .array(z.string())
    .readonly()
    .optional()
    .describe("Changes that need attention, such as another publisher."),
  changes: z
    .array(z.looseObject({ path: z.string(), change: z.string() }))
    .readonly()
    .optional()
    .describe("Files that differ from the installed version."),
});

const progress = z
  .string()
  .max(64)
  .optional()
  .describe("A name of your choice. Progress is sent under it to your WebSocket connections.");

/** An installed skill, where it came from, and what the last check found there. */
const InstalledSkill = z.object({
  id: z.string(),
  source: z.string().describe("The argument of an install."),
  path: z.string().optional().describe("The path of the skill in its source."),
  installed: z.string().describe("The installed version."),
  publisher: z.string().optional(),
  signer: z.string().optional(),
  isPinned: z.boolean(),
  isEdited: z.boolean(),
  check: z
    .object({
      status: z.enum(["current", "outdated", "waiting", "pinned", "conflict", "failed"]),
      latest: z.string().optional(),
      until: z.string().optional(),
      error: z.object({ code: z.string(), message: z.string() }).optional(),
    })
    .optional()
    .describe("Missing for a skill that was not checked yet."),
});

const InstalledSkills = z.object({
  skills: z.array(InstalledSkill).readonly(),
  checkedAt: z.iso.datetime().optional(),
});

const InstallResult = z.union([
  z.looseObject({
    id: z.string(),
    status: z.enum(["installed", "updated", "merged", "unchanged"]),
    treeHash: Digest,
    revision: z.int().min(1).optional(),
  }),
  z.looseObject({ id: z.string(), status: z.literal("waiting"), until: z.iso.datetime() }),
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
      now: z
        .boolean()
        .optional()
        .describe("Accept an update that is younger than the minimum age. Only for administrators."),
      progress,
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
  listInstalled: route({
    method: "GET",
    path: "/v1/installed",
    tag: "releases",
    summary: "List installed skills that you manage, with their sources and the last check for updates",
    roles: publishers,
    condition: "read",
    answer: InstalledSkills,
  }),
  checkInstalled: route({
    method: "POST",
    path: "/v1/installed/check",
    tag: "releases",
    summary: "Ask the sources of installed skills for newer versions",
    roles: publishers,
    body: z.strictObject({ skills: z.array(SkillKey).max(200).optional(), progress }).optional(),
    answer: InstalledSkills,
    errors: ["NOT_READY", "INTERRUPTED", "CONFIG_INVALID", "IO_FAILED"],
  }),
} as const;
