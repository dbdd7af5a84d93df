import { z } from "zod";
import { Digest } from "../../id.ts";
import { At, byId, RevisionNumber, SkillKey } from "../field.ts";
import { admins, people, route } from "../route.ts";

const Texts = z.array(z.string()).readonly();
const Place = z.object({ file: z.string(), line: z.int().min(1) });
const Places = z.array(Place).readonly();
const Verdict = z.enum(["block", "review", "clean"]);
const Severity = z.enum(["block", "warn", "info"]);

const Finding = z.object({
  ruleId: z.string(),
  severity: Severity,
  file: z.string(),
  line: z.int().min(1),
  message: z.string(),
  fix: z.string(),
  owasp: z.string(),
  excerpt: z.string().describe("The line, shortened and without secrets."),
  digest: z.string().describe("Of the file; a waiver is bound to it."),
  waivedBy: z.string().optional(),
});

export const CapabilityManifestView = z.object({
  engine: z.string(),
  network: z.object({ hosts: Texts, dynamic: z.boolean() }),
  env: z.object({ names: Texts, all: z.boolean() }),
  reads: z.object({ secretPaths: Texts, home: z.boolean() }),
  writes: z.object({ outsideWork: Texts, agentState: Texts }),
  process: z.object({ bins: Texts, shell: z.boolean(), dynamicCode: z.boolean() }),
  installs: Texts,
  downloads: z.object({ urls: Texts }),
  tools: Texts,
  prompt: z.object({ override: z.boolean(), conceal: z.boolean(), hidden: z.boolean() }),
  evidence: z.record(z.string(), Places),
  analyzability: z.number().min(0).max(1),
});

const Change = z.object({ capability: z.string(), value: z.string().optional(), seen: Places });

const Waiver = z.object({
  id: z.string(),
  ruleId: z.string(),
  file: z.string(),
  contentHash: Digest,
  reason: z.string(),
  by: z.string(),
  at: At,
  expires: At.optional(),
});

const missing = ["SKILL_NOT_FOUND", "REVISION_NOT_FOUND", "INTEGRITY_FAILED", "GUARD_FAILED"] as const;

/** The content guard: findings, capabilities and waivers of stored skills. */
export const guardRoutes = {
  getGuardReport: route({
    method: "GET",
    path: "/v1/skills/{id}/guard",
    tag: "guard",
    summary: "Findings and capabilities of a revision",
    roles: people,
    params: byId,
    query: z.strictObject({ revision: RevisionNumber.optional() }),
    answer: z.object({
      engine: z.string(),
      verdict: Verdict,
      findings: z.array(Finding).readonly(),
      manifest: CapabilityManifestView,
      incoherent: z
        .array(
          z.object({
            capability: z.string(),
            value: z.string(),
            severity: z.literal("warn"),
            message: z.string(),
            seen: Places,
          }),
        )
        .readonly(),
      limitations: z.array(z.object({ file: z.string(), reason: z.string() })).readonly(),
      summary: Texts.describe("The capabilities in plain sentences."),
    }),
    condition: "read",
    errors: missing,
  }),
  diffCapabilities: route({
    method: "GET",
    path: "/v1/skills/{id}/guard/diff",
    tag: "guard",
    summary: "Capabilities that one revision has and another has not",
    roles: people,
    params: byId,
    query: z.strictObject({ from: RevisionNumber.optional(), to: RevisionNumber.optional() }),
    answer: z.object({ widened: z.array(Change).readonly(), narrowed: z.array(Change).readonly() }),
    condition: "read",
    errors: missing,
  }),
  waiveFinding: route({
    method: "POST",
    path: "/v1/guard/waivers",
    tag: "guard",
    summary: "Accept a finding in one content of one file",
    roles: admins,
    body: z.strictObject({
      skill: SkillKey.describe("An id that is not published yet is accepted: its first publish was blocked."),
      ruleId: z.string().min(1).max(200),
      file: z.string().min(1).max(1000),
      contentHash: Digest,
      reason: z.string().min(1).max(2000),
      expires: At.optional(),
    }),
    answer: Waiver,
    status: 201,
    errors: ["SKILL_NOT_FOUND", "USAGE"],
  }),
  rescanGuard: route({
    method: "POST",
    path: "/v1/guard/rescan",
    tag: "guard",
    summary: "Scan skills again whose verdict is of another engine version",
    roles: admins,
    body: z.strictObject({ force: z.boolean().optional() }).optional(),
    answer: z.object({
      skills: z
        .array(
          z.object({ skill: z.string(), revision: z.int(), before: Verdict.optional(), verdict: Verdict }),
        )
        .readonly(),
    }),
    errors: ["GUARD_FAILED", "INTEGRITY_FAILED"],
  }),
} as const;
