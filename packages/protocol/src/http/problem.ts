import { z } from "zod";
import { errorTable } from "../error.ts";

// The table is not empty, but the type of Object.keys cannot express that.
const codes = Object.keys(errorTable) as [keyof typeof errorTable, ...(keyof typeof errorTable)[]];

/** A failure as `application/problem+json`. */
export const Problem = z.object({
  type: z.string().describe("`urn:skillhold:error:` followed by the code."),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.enum(codes),
  hint: z.string().describe("The recommended action."),
  requestId: z.string(),
  details: z.record(z.string(), z.json()).optional(),
});
export type Problem = Readonly<z.infer<typeof Problem>>;
