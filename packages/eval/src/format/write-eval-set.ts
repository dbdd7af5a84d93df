import { stringify } from "yaml";
import type { EvalCase, EvalSet } from "./eval-set.ts";

/**
 * The eval set as a file of its own dialect. Fields and entries that Skillhold does not know are kept, and an edited prompt,
 * expected output or name replaces the one that was read.
 */
export function writeEvalSet({ frame, cases }: EvalSet): string {
  const records: unknown[] = cases.map(writeCase);
  for (const { at, value } of frame.unread.toSorted((a, b) => a.at - b.at)) records.splice(at, 0, value);
  const { format, document, list } = frame;
  const [only = {}] = records;
  const value =
    list === "single" ? only : document === undefined ? records : { ...document, [list]: records };
  return format === "yaml" ? stringify(value) : `${JSON.stringify(value, undefined, 2)}\n`;
}

function writeCase({ prompt, expected, origin }: EvalCase): Readonly<Record<string, unknown>> {
  const { record, promptKey, expectedKey } = origin;
  const answer = expectedKey === undefined || expected === undefined ? {} : { [expectedKey]: expected };
  return { ...record, [promptKey]: prompt, ...answer };
}
