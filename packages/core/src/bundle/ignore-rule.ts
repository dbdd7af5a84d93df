import { join } from "node:path";
import { SkillError } from "@skillhold/protocol/error";
import ignore from "ignore";
import type { OmissionReason } from "./bundle.ts";
import type { OpenOptions } from "./contain.ts";
import type { PackTrace } from "./pack-trace.ts";
import { readBounded } from "./read-file.ts";

/** Later files win, so that what a skill says for publishing overrules what it says to git. */
export const IGNORE_FILES = [".gitignore", ".skillignore", ".clawdhubignore", ".clawhubignore"] as const;

const JUNK_NAMES: ReadonlySet<string> = new Set([
  ...[
    ".DS_Store",
    "Thumbs.db",
    "ehthumbs.db",
    "desktop.ini",
    "__MACOSX",
    ".AppleDouble",
    ".Spotlight-V100",
    ".Trashes",
  ],
  ...[".git", ".hg", ".svn", "node_modules", "__pycache__", ".clawhub", ".clawdhub"],
]);

// The matcher backtracks on rows of wildcards and overflows on giant patterns; real rules stay far below these.
const MAX_BYTES = 64 * 1024;
const MAX_RULES = 500;
const MAX_RULE_LENGTH = 256;
const MAX_WILDCARDS = 6;
const MAX_FOLDER_WILDCARDS = 3;

/** Decides which entries of a skill's folder are left out by name. */
export interface IgnoreRules {
  /** The reason to leave an entry out, or undefined. Paths are relative to the skill's folder. */
  omits(
    path: string,
    name: string,
    isFolder: boolean,
  ): Extract<OmissionReason, "junk" | "ignored"> | undefined;
}

export interface RuleOptions extends OpenOptions {
  readonly trace?: PackTrace | undefined;
}

/**
 * Reads the ignore files at the root of a skill. One that is there and cannot be read or is out of bounds is an
 * error: going on without it would publish what its author meant to keep.
 */
export function readIgnoreRules(root: string, options: RuleOptions): IgnoreRules {
  // Git's default on Linux, and the same bundle on every system.
  const matcher = ignore({ ignorecase: false });
  for (const name of IGNORE_FILES) matcher.add(readRules(root, name, options));
  return {
    omits(path, name, isFolder) {
      if (isJunk(name)) return "junk";
      if (path === "SKILL.md" || path === "skill.md") return undefined;
      return matcher.ignores(isFolder ? `${path}/` : path) ? "ignored" : undefined;
    },
  };
}

/** Names that are never part of a skill: what operating systems, version control and package managers leave. */
export function isJunk(name: string): boolean {
  return JUNK_NAMES.has(name) || name.startsWith("._");
}

function readRules(root: string, name: string, options: RuleOptions): readonly string[] {
  const path = join(root, name);
  // One that names itself is in no list of files.
  options.trace?.look(path);
  const read = readBounded(path, MAX_BYTES, options);
  if ("problem" in read) {
    if (read.problem.reason === "missing") return [];
    const code = read.problem.reason === "too-large" ? "LIMIT_EXCEEDED" : "SKILL_INVALID";
    throw refuse(code, name, read.problem.message);
  }
  const rules = new TextDecoder().decode(read.bytes).split(/\r?\n/).filter(isRule);
  if (rules.length > MAX_RULES) throw refuse("LIMIT_EXCEEDED", name, `It has more than ${MAX_RULES} rules.`);
  for (const rule of rules) checkRule(name, rule);
  return rules;
}

function isRule(line: string): boolean {
  return line.trim() !== "" && !line.startsWith("#");
}

function checkRule(name: string, rule: string): void {
  if (rule.length > MAX_RULE_LENGTH) {
    throw refuse("LIMIT_EXCEEDED", name, `It has a rule longer than ${MAX_RULE_LENGTH} characters.`);
  }
  const wildcards = rule.match(/\*+/g) ?? [];
  const folderWildcards = wildcards.filter((wildcard) => wildcard.length > 1);
  if (wildcards.length > MAX_WILDCARDS || folderWildcards.length > MAX_FOLDER_WILDCARDS) {
    const bound = `${MAX_WILDCARDS} wildcards or ${MAX_FOLDER_WILDCARDS} of \`**\``;
    throw refuse("LIMIT_EXCEEDED", name, `Its rule ${rule} has more than ${bound}.`);
  }
}

function refuse(code: "LIMIT_EXCEEDED" | "SKILL_INVALID", name: string, why: string): SkillError {
  return new SkillError(code, `The ignore file ${name} cannot be used: ${why}`, { details: { path: name } });
}
