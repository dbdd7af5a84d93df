import { z } from "zod";
import { errorTable } from "../error.ts";

// The keys of the table are not empty, which the type of Object.keys cannot say.
const codes = Object.keys(errorTable) as [keyof typeof errorTable, ...(keyof typeof errorTable)[]];

/** A failure as `application/problem+json`. */
export const Problem = z.object({
  type: z.string().describe("`urn:skillhold:error:` and the code."),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.enum(codes),
  hint: z.string().describe("What to do about it."),
  requestId: z.string(),
  details: z.record(z.string(), z.json()).optional(),
});
export type Problem = Readonly<z.infer<typeof Problem>>;
