import { ScriptError } from "./script-error.ts";

/** The failure of an edit that would lose content which it was not asked to change. Contract: the output is not written. */
export function lossError(path: string, problems: readonly string[]): ScriptError {
  const shown = problems.slice(0, 5).join("; ");
  const more = problems.length > 5 ? `; and ${problems.length - 5} more` : "";
  return new ScriptError(
    "CONTENT_LOST",
    `${path} was not written, because content would be lost: ${shown}${more}.`,
    {
      hint: "The source file is unchanged. Make the edit in smaller steps, or in the program that made the file.",
    },
  );
}
