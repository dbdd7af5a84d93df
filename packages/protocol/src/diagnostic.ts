import { z } from "zod";

/** Only `error` makes a skill invalid under the requested profile. */
export const Severity = z.enum(["error", "warning", "info"]);
export type Severity = z.infer<typeof Severity>;

/** One finding about a skill. Lines and columns start at 1; `fix` says what to change. */
export const Diagnostic = z.object({
  code: z.string().regex(/^[A-Z][A-Z0-9_]*$/),
  severity: Severity,
  line: z.int().min(1),
  column: z.int().min(1),
  message: z.string(),
  fix: z.string(),
  file: z.string().optional(),
});
export type Diagnostic = Readonly<z.infer<typeof Diagnostic>>;
