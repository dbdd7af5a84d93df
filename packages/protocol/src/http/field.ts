import { z } from "zod";

/** A skill by its id or UUID. What is neither is not looked for. */
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

/** The part of every query for a list. */
export const paging = {
  // A place may be a name of 256 characters, each of which JSON writes as six.
  cursor: z.string().max(4096).optional().describe("As the page before gave it."),
  limit: z
    .string()
    .regex(/^[1-9][0-9]{0,3}$/)
    .transform(Number)
    .pipe(z.int().max(1000))
    .optional()
    .describe("How many at most; 100 when it is left out."),
};
/** The part of every answer with a list. */
export const nextCursor = z.string().optional().describe("Asks for the next page; absent on the last.");

/** Whose eyes to look through; only for those who may look through others'. */
export const lookingAs = {
  agent: Name.optional().describe("Look as this agent sees it: its owner and administrators only."),
  user: Name.optional().describe("Look as this user sees it: administrators only."),
  runtime: z.string().max(128).optional().describe("Look as an agent of this runtime."),
  invoker: z.enum(["model", "user"]).optional(),
};
export const byId = z.strictObject({ id: SkillKey });
