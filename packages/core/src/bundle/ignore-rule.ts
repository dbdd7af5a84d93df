import { join } from "node:path";
import {
  compileIgnoreRules,
  IGNORE_FILE_BYTES,
  IGNORE_FILES,
  type IgnoreRules,
  rejectIgnoreFile,
  USE_IGNORE_FILES,
} from "@skillhold/skill";
import type { OpenOptions } from "./contain.ts";
import type { FileTree } from "./file-tree.ts";
import type { PackTrace } from "./pack-trace.ts";

/** `use`: the files that agents read and run here. `publish`: the files of a release. */
export type PackPurpose = "use" | "publish";

export interface RuleOptions extends OpenOptions {
  readonly tree: FileTree;
  readonly purpose: PackPurpose;
  readonly trace?: PackTrace | undefined;
}

/**
 * Reads the ignore files at the root of a skill. An ignore file that exists and cannot be read throws: packing without
 * it would publish files that the author excluded.
 */
export function readIgnoreRules(root: string, options: RuleOptions): IgnoreRules {
  const names = options.purpose === "publish" ? IGNORE_FILES : USE_IGNORE_FILES;
  return compileIgnoreRules(names.map((name) => ({ name, text: readIgnoreFile(root, name, options) })));
}

function readIgnoreFile(root: string, name: string, options: RuleOptions): string {
  const path = join(root, name);
  // An ignore file that names itself is not in the bundle's file list, so the trace needs it here.
  options.trace?.look(path);
  const read = options.tree.read(path, IGNORE_FILE_BYTES, options);
  if (!("problem" in read)) return new TextDecoder().decode(read.bytes);
  if (read.problem.reason === "missing") return "";
  const code = read.problem.reason === "too-large" ? "LIMIT_EXCEEDED" : "SKILL_INVALID";
  throw rejectIgnoreFile(code, name, read.problem.message);
}
