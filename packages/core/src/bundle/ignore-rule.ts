import { join } from "node:path";
import {
  compileIgnoreRules,
  IGNORE_FILE_BYTES,
  IGNORE_FILES,
  type IgnoreRules,
  rejectIgnoreFile,
} from "@skillhold/skill";
import type { OpenOptions } from "./contain.ts";
import type { PackTrace } from "./pack-trace.ts";
import { readBounded } from "./read-file.ts";

export interface RuleOptions extends OpenOptions {
  readonly trace?: PackTrace | undefined;
}

/**
 * Reads the ignore files at the root of a skill. An ignore file that exists and cannot be read throws: packing without
 * it would publish files that the author excluded.
 */
export function readIgnoreRules(root: string, options: RuleOptions): IgnoreRules {
  return compileIgnoreRules(
    IGNORE_FILES.map((name) => ({ name, text: readIgnoreFile(root, name, options) })),
  );
}

function readIgnoreFile(root: string, name: string, options: RuleOptions): string {
  const path = join(root, name);
  // An ignore file that names itself is not in the bundle's file list, so the trace needs it here.
  options.trace?.look(path);
  const read = readBounded(path, IGNORE_FILE_BYTES, options);
  if (!("problem" in read)) return new TextDecoder().decode(read.bytes);
  if (read.problem.reason === "missing") return "";
  const code = read.problem.reason === "too-large" ? "LIMIT_EXCEEDED" : "SKILL_INVALID";
  throw rejectIgnoreFile(code, name, read.problem.message);
}
