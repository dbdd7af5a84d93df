import { z } from "zod";

/** A skill id or UUID. Other texts are rejected without a lookup. */
export const SkillKey = z
  .string()
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/)
  .max(64);
export const Name = z.string().min(1).max(256);
export const Flag = z.enum(["true", "false"]).transform((text) => text === "true");
export const RevisionNumber = z
  .string()
  .regex(/^[1-9][0-9]{0,8}$/)
  .transform(Number);
export const At = z.iso.datetime();

/** The query parameters of every list. */
export const paging = {
  // A cursor may contain a name of 256 characters, each of which JSON may escape as six.
  cursor: z.string().max(4096).optional().describe("The cursor of the previous page."),
  limit: z
    .string()
    .regex(/^[1-9][0-9]{0,3}$/)
    .transform(Number)
    .pipe(z.int().max(1000))
    .optional()
    .describe("The maximum number of items; 100 by default."),
};
/** The cursor field of every list response. */
export const nextCursor = z
  .string()
  .optional()
  .describe("The cursor of the next page; absent on the last page.");

/** Query parameters to act as another viewer, for callers who may do so. */
export const viewerParams = {
  agent: Name.optional().describe("Show what this agent sees. Only for its owner and administrators."),
  user: Name.optional().describe("Show what this user sees. Only for administrators."),
  runtime: z
    .string()
    .max(128)
    .optional()
    .describe(
      "Show what an agent of this runtime sees; several names are separated by commas, and `*` is every runtime.",
    ),
  invoker: z
    .enum(["model", "user", "any"])
    .optional()
    .describe("Show what a model or a user can activate; `any` for both."),
};
export const byId = z.strictObject({ id: SkillKey });
