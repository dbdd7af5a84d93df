import type { OptionTable } from "./command.ts";
import { readJson } from "./input-file.ts";
import { usageError } from "./script-error.ts";
import type { ScriptIo } from "./script-io.ts";
import type { Replacement } from "./text-replace.ts";

/** The options of a command that finds and replaces text. */
export const replacementOptions = {
  find: { type: "string", help: "The text to look for, as it is read" },
  with: { type: "string", help: "What to put in its place; may be empty" },
  pairs: {
    type: "string",
    value: "json",
    help: 'Several at once: a file, - for stdin, or inline {"old": "new", …}',
  },
  "ignore-case": { type: "boolean", help: "Capital and small letters are the same" },
  "whole-word": { type: "boolean", help: "Only where the text is not part of a longer word" },
} as const satisfies OptionTable;

export async function readReplacements(
  request: {
    readonly find?: string | undefined;
    readonly with?: string | undefined;
    readonly pairs?: string | undefined;
  },
  io: ScriptIo,
): Promise<readonly Replacement[]> {
  const single = readSingle(request.find, request.with);
  const several = request.pairs === undefined ? [] : readPairs(await readJson(request.pairs, io));
  const all = [...single, ...several];
  if (all.length === 0)
    throw usageError("Specify the replacements: --find <text> --with <text>, or --pairs <json>.");
  if (all.length > MAX_PAIRS) throw usageError(`At most ${MAX_PAIRS} texts are replaced at once.`);
  return all;
}

const MAX_PAIRS = 1000;

function readSingle(find: string | undefined, text: string | undefined): readonly Replacement[] {
  if (find === undefined && text === undefined) return [];
  if (find === undefined || text === undefined) throw usageError("--find and --with go together.");
  if (find === "") throw usageError("--find is empty.");
  return [{ find, with: text }];
}

function readPairs(value: unknown): readonly Replacement[] {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  const entries = isObject ? Object.entries(value) : [];
  const pairs = entries.flatMap(([find, text]) =>
    typeof text === "string" && find !== "" ? [{ find, with: text }] : [],
  );
  if (pairs.length > 0 && pairs.length === entries.length) return pairs;
  throw usageError('--pairs is an object of texts: {"old": "new"}.');
}
