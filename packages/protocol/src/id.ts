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
