import { MAX_PATTERN } from "./allowed-tools.ts";
import { readArgv, readCommandWords } from "./command-line.ts";
import { readPathPattern } from "./path-pattern.ts";
import {
  defaultAliases,
  familyOf,
  type SpecifierKind,
  specifierKinds,
  type ToolAliases,
} from "./tool-alias.ts";

/** A parsed item of `allowed-tools`. */
export type ToolPattern =
  /** `*`: every tool. */
  | { readonly kind: "any" }
  /** `mcp__server`, `mcp__server__*`, `mcp__server__get_*`: the server's tools whose full name starts so. */
  | { readonly kind: "mcp"; readonly prefix: string }
  | NamedPattern;

export type NamedPattern =
  /** `Read`, `Bash(*)`, `mcp__server__tool`: every call of one tool. */
  | { readonly kind: "tool"; readonly tool: string }
  | CommandPattern
  /** `Read(./docs/**)`. */
  | { readonly kind: "path"; readonly tool: string; readonly path: string }
  /** `WebFetch(domain:example.com)`; with `*.` in front, the domains below it. */
  | { readonly kind: "domain"; readonly tool: string; readonly domain: string; readonly isBelow: boolean }
  /** `Skill(pdf)`, `Task(Explore)`. */
  | { readonly kind: "word"; readonly tool: string; readonly word: string; readonly isPrefix: boolean };

/** `Bash(git log:*)`: these words, and any after them if it is a prefix. Placeholders are still in the words. */
export interface CommandPattern {
  readonly kind: "command";
  readonly tool: string;
  readonly words: readonly [string, ...string[]];
  readonly isPrefix: boolean;
}

export interface PatternProblem {
  readonly problem: string;
}

export interface AllowedTools {
  readonly patterns: readonly ToolPattern[];
  /** Items that do not grant a tool, each with the reason. */
  readonly problems: readonly { readonly item: string; readonly problem: string }[];
}

/** Reads all items of a skill. */
export function parseAllowedTools(
  items: readonly string[],
  aliases: ToolAliases = defaultAliases,
): AllowedTools {
  const patterns: ToolPattern[] = [];
  const problems: { item: string; problem: string }[] = [];
  for (const item of items) {
    const pattern = parseToolPattern(item, aliases);
    if ("problem" in pattern) problems.push({ item, problem: pattern.problem });
    else patterns.push(pattern);
  }
  return { patterns, problems };
}

/** Parses one item. An invalid item does not grant a tool, and its problem is returned. */
export function parseToolPattern(
  text: string,
  aliases: ToolAliases = defaultAliases,
): ToolPattern | PatternProblem {
  const item = text.trim();
  if (item.length > MAX_PATTERN) return { problem: `it is longer than ${MAX_PATTERN} characters` };
  if (item === "*") return { kind: "any" };
  const [, name = "", rest = ""] = /^([^\s(]*)\s*(.*)$/s.exec(item) ?? [];
  if (rest !== "" && !(rest.startsWith("(") && rest.endsWith(")"))) {
    return { problem: "it is not a tool's name with at most one pair of parentheses after it" };
  }
  const specifier = rest === "" ? "*" : rest.slice(1, -1).trim();
  const isWhole = /^(?:\*{1,2}|:\*)$/.test(specifier);
  if (name.startsWith("mcp__")) return isWhole ? parseMcpName(name) : { problem: NO_SPECIFIER };
  if (!/^[A-Za-z_][\w.:/-]*$/.test(name)) return { problem: "it does not start with the name of a tool" };
  if (isWhole) return { kind: "tool", tool: name };
  if (specifier === "") return { problem: "there is nothing in the parentheses" };
  const kind = specifierKinds.get(familyOf(name, aliases) ?? name);
  return kind === undefined ? { problem: NO_SPECIFIER } : readSpecifier(kind, name, specifier);
}

/** Stand for the skill's own folder, which is known when a call is looked at. */
export const PLACEHOLDER = /\$\{CLAUDE_SKILL_DIR\}|\{baseDir\}/;

const NO_SPECIFIER = "what stands in the parentheses means nothing for this tool";

function parseMcpName(name: string): ToolPattern | PatternProblem {
  if (/^mcp__[\w.:-]+?__[\w.:/-]*\*$/.test(name)) return { kind: "mcp", prefix: name.slice(0, -1) };
  const match = /^mcp__[A-Za-z0-9][\w.:/-]*[A-Za-z0-9.:-]$|^mcp__[A-Za-z0-9]$/.exec(name);
  if (match === null)
    return { problem: "it is not a name such as mcp__server, mcp__server__tool or mcp__server__*" };
  return name.includes("__", 5) ? { kind: "tool", tool: name } : { kind: "mcp", prefix: `${name}__` };
}

function readSpecifier(kind: SpecifierKind, tool: string, specifier: string): ToolPattern | PatternProblem {
  switch (kind) {
    case "command":
      return readCommandPattern(tool, specifier);
    case "path": {
      const problem = readPathPattern(specifier).problem;
      return problem === undefined ? { kind, tool, path: specifier } : { problem };
    }
    case "domain":
      return readDomainPattern(tool, specifier);
    case "word":
      return readWordPattern(tool, specifier);
  }
}

/**
 * `x:*`, `x *` and `x*` are one prefix of whole words. The last of them means more to some clients, `ls*` also
 * `lsof`; here it never does.
 */
function readCommandPattern(tool: string, specifier: string): ToolPattern | PatternProblem {
  const isPrefix = specifier.endsWith("*");
  const reading = readCommandWords(specifier.replace(/(?::|\s+)?\*$/, ""), PLACEHOLDER);
  if (reading.problem !== undefined) return { problem: `as a command, ${reading.problem.message}` };
  const [program, ...rest] = reading.words;
  // The folder that will stand there is not the author's text; whether it makes a program is seen with the call.
  const checked = readArgv([program?.replace(PLACEHOLDER, "/skill") ?? "", ...rest]);
  if (program === undefined || checked.problem !== undefined) {
    return { problem: `as a command, ${checked.problem?.message ?? "it is empty"}` };
  }
  return { kind: "command", tool, words: [program, ...rest], isPrefix };
}

function readDomainPattern(tool: string, specifier: string): ToolPattern | PatternProblem {
  const match = /^domain:\s*(\*\.)?((?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)*[a-z0-9-]+)$/i.exec(specifier);
  if (match === null) return { problem: "it is not of the form domain:example.com" };
  return { kind: "domain", tool, domain: (match[2] ?? "").toLowerCase(), isBelow: match[1] !== undefined };
}

function readWordPattern(tool: string, specifier: string): ToolPattern | PatternProblem {
  const match = /^([^\s*()]+?)(:\*|\s\*|\*)?$/.exec(specifier);
  if (match === null) return { problem: "it is not one word" };
  return { kind: "word", tool, word: match[1] ?? "", isPrefix: match[2] !== undefined };
}
