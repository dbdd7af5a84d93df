import { z } from "zod";
import { SkillKey } from "../field.ts";
import { admins, everyone, publishers, route } from "../route.ts";

const Texts = z.array(z.string()).readonly();
const isUnsupported = z
  .literal(true)
  .optional()
  .describe("Dependencies are missing and cannot be installed here.");

const InstallItem = z.object({
  spec: z.string(),
  status: z.enum(["ok", "failed", "manual", "skipped"]),
  message: z.string(),
});
const SkillNeeds = z.object({
  skill: z.string(),
  ok: z.boolean(),
  missing: Texts,
  isUnsupported,
  error: z.string().optional(),
});

const SkillNeed = z.object({
  name: z.string(),
  kind: z.enum(["pip", "npm", "system", "runtime"]),
  status: z.enum(["ok", "missing", "unknown"]),
  optional: z.boolean().describe("Whether the skill works without it."),
  declared: z.boolean().describe("Whether a manifest or the frontmatter declares it."),
  seen: z.array(z.object({ file: z.string(), line: z.int() })).readonly(),
  install: z.string().optional().describe("The value for `install-dep`."),
});

/** The dependencies of skills on the gateway's machine. Progress is sent over the WebSocket. */
export const dependencyRoutes = {
  rescanDependencies: route({
    method: "POST",
    path: "/v1/skills/rescan-deps",
    tag: "dependencies",
    summary: "Check the dependencies of all enabled skills again",
    roles: publishers,
    answer: z.object({ skills: z.array(SkillNeeds).readonly() }),
  }),
  installDependencies: route({
    method: "POST",
    path: "/v1/skills/install-deps",
    tag: "dependencies",
    summary: "Install all missing dependencies, each for its skill; you are recorded as the approver",
    roles: admins,
    body: z.strictObject({ skills: z.array(SkillKey).max(1000).optional() }).optional(),
    answer: z.object({
      results: z.array(InstallItem.extend({ skill: z.string() })).readonly(),
      system: Texts,
      pip: Texts,
      npm: Texts,
      errors: Texts,
    }),
  }),
  installDependency: route({
    method: "POST",
    path: "/v1/skills/install-dep",
    tag: "dependencies",
    summary: "Install one dependency, such as `pip:pypdf`, for one skill or all skills that need it",
    roles: admins,
    body: z.strictObject({
      skill: SkillKey.optional().describe("By default, every skill that needs it."),
      dep: z.string().min(1).max(256),
    }),
    answer: z.object({
      ok: z.boolean(),
      dep: z.string(),
      error: z.string().optional(),
      result: InstallItem.describe("The result of the first failed skill, or else of the first skill."),
      results: z.array(InstallItem.extend({ skill: z.string() })).readonly(),
    }),
    errors: ["SKILL_NOT_FOUND", "CONFIG_INVALID", "POLICY_DENIED"],
  }),
  listRuntimes: route({
    method: "GET",
    path: "/v1/skills/runtimes",
    tag: "dependencies",
    summary: "List the interpreters and package managers of this machine",
    roles: everyone,
    answer: z.object({
      runtimes: z
        .array(
          z.object({
            name: z.string(),
            available: z.boolean(),
            version: z.string().optional(),
            required: z.boolean().describe("Whether skills in Python and JavaScript need it."),
            path: z.string().optional().describe("The path; only for administrators."),
          }),
        )
        .readonly(),
      ready: z.boolean().describe("Whether every required program is available."),
    }),
    condition: "read",
  }),
  getDependencies: route({
    method: "GET",
    path: "/v1/skills/{id}/dependencies",
    tag: "dependencies",
    summary: "List the dependencies found in a skill's code, and which are installed",
    roles: everyone,
    params: z.strictObject({ id: SkillKey }),
    answer: z.object({
      skill: z.string(),
      state: z.object({
        state: z.enum(["ok", "missing", "unknown"]),
        missing: Texts,
        unknown: Texts.describe("Dependencies whose state could not be determined."),
        warnings: Texts,
        isUnsupported,
      }),
      needs: z.array(SkillNeed).readonly(),
    }),
    condition: "read",
    errors: ["SKILL_NOT_FOUND"],
  }),
} as const;
