import { z } from "zod";

/** The id of a skill, as used by callers, routes and grants. */
export const SkillId = z
  .string()
  .max(64)
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/)
  .brand("SkillId");
export type SkillId = z.infer<typeof SkillId>;

/** `sha256:` and 64 lowercase hexadecimal digits. */
export const Digest = z
  .string()
  .regex(/^sha256:[0-9a-f]{64}$/)
  .brand("Digest");
export type Digest = z.infer<typeof Digest>;

export const Trust = z.enum(["builtin", "org", "user", "third_party"]);
export type Trust = z.infer<typeof Trust>;

/** Why a skill has a trust tier, as every surface says it. */
export const trustReasons: Readonly<Record<Trust, string>> = {
  builtin: "ships with Skillhold",
  org: "from an administrator or a provisioned folder",
  user: "from your own folders, or published by a user",
  third_party: "from a project, an agent, an installation or a server",
};
