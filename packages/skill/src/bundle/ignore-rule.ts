import { SkillError } from "@skillhold/protocol/error";
import ignore from "ignore";
import { isJunk } from "./junk.ts";
import { isSkillFile } from "./skill-file.ts";

/** The ignore files at a skill's root that apply wherever the skill is used. */
export const USE_IGNORE_FILES = [".gitignore", ".skillignore"] as const;

/** The ignore files of a publication. A later file overrides an earlier one, so publishing rules override git's. */
export const IGNORE_FILES = [...USE_IGNORE_FILES, ".clawdhubignore", ".clawhubignore"] as const;

/** The largest ignore file that is read. */
export const IGNORE_FILE_BYTES = 64 * 1024;

// The matcher backtracks on repeated wildcards and overflows on huge patterns; real rules stay far below these bounds.
const MAX_RULES = 500;
const MAX_RULE_LENGTH = 256;
const MAX_WILDCARDS = 6;
const MAX_FOLDER_WILDCARDS = 3;

export interface IgnoreFile {
  readonly name: string;
  readonly text: string;
}

export type IgnoreReason = "junk" | "ignored";

/** Decides by name which entries of a skill's folder stay out of the bundle. */
export interface IgnoreRules {
  /** The reason to omit an entry, or undefined. Contract: `path` is relative to the skill's folder. */
  omits(path: string, name: string, isFolder: boolean): IgnoreReason | undefined;
}

/**
 * Compiles the ignore files of a skill, given in the order of `IGNORE_FILES`. A file outside the bounds throws:
 * skipping its rules would publish files that the author excluded.
 */
export function compileIgnoreRules(files: readonly IgnoreFile[]): IgnoreRules {
  // Case-sensitive, like git on Linux, so that a skill has the same bundle on every system.
  const matcher = ignore({ ignorecase: false });
  for (const file of files) matcher.add(readRules(file));
  return {
    omits(path, name, isFolder) {
      if (isJunk(name)) return "junk";
      if (isSkillFile(path)) return undefined;
      return matcher.ignores(isFolder ? `${path}/` : path) ? "ignored" : undefined;
    },
  };
}

/** True when a file or one of its parent folders is omitted. Contract: `path` is relative to the skill's folder. */
export function isOmitted(path: string, rules: IgnoreRules): boolean {
  const names = path.split("/");
  return names.some((name, index) => {
    const isFolder = index < names.length - 1;
    return rules.omits(names.slice(0, index + 1).join("/"), name, isFolder) !== undefined;
  });
}

/** The error for an ignore file that cannot be applied. */
export function rejectIgnoreFile(
  code: "LIMIT_EXCEEDED" | "SKILL_INVALID",
  name: string,
  problem: string,
): SkillError {
  return new SkillError(code, `The ignore file ${name} cannot be used: ${problem}`, {
    details: { path: name },
  });
}

function readRules({ name, text }: IgnoreFile): readonly string[] {
  const rules = text.split(/\r?\n/).filter((line) => line.trim() !== "" && !line.startsWith("#"));
  if (rules.length > MAX_RULES)
    throw rejectIgnoreFile("LIMIT_EXCEEDED", name, `The file has more than ${MAX_RULES} rules.`);
  for (const rule of rules) checkRule(name, rule);
  return rules;
}

function checkRule(name: string, rule: string): void {
  if (rule.length > MAX_RULE_LENGTH)
    throw rejectIgnoreFile("LIMIT_EXCEEDED", name, `A rule is longer than ${MAX_RULE_LENGTH} characters.`);
  const wildcards = rule.match(/\*+/g) ?? [];
  const folderWildcards = wildcards.filter((wildcard) => wildcard.length > 1);
  if (wildcards.length <= MAX_WILDCARDS && folderWildcards.length <= MAX_FOLDER_WILDCARDS) return;
  const bound = `${MAX_WILDCARDS} wildcards or ${MAX_FOLDER_WILDCARDS} of \`**\``;
  throw rejectIgnoreFile("LIMIT_EXCEEDED", name, `The rule ${rule} has more than ${bound}.`);
}
