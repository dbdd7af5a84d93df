import {
  type Argv,
  type CommandPattern,
  familyOf,
  isInnerGlob,
  matchCommand,
  matchesPath,
  type NamedPattern,
  type PathPlaces,
  readArgv,
  readCommandLine,
  type ToolAlias,
  type ToolAliases,
  type ToolPattern,
} from "@skillhold/skill";

export type CallMatch =
  /** With `argv`: the compared command, which is all that may run. */
  | { readonly isMatch: true; readonly argv?: Argv }
  /** With `reason`: the pattern is about this tool but does not allow the call. */
  | { readonly isMatch: false; readonly reason?: string; readonly asked?: AskedCommand };

/** A plain command that a person may allow, and the words by which the answer is remembered. */
export interface AskedCommand {
  readonly argv: Argv;
  readonly prefix: readonly string[];
}

interface Call {
  readonly tool: string;
  readonly input: unknown;
}

/** Compares a tool call with one pattern. Unreadable input matches no specifier. */
export function matchCall(
  call: Call,
  pattern: ToolPattern,
  aliases: ToolAliases,
  places: PathPlaces,
): CallMatch {
  switch (pattern.kind) {
    case "any":
      return { isMatch: true };
    case "mcp":
      return { isMatch: isOfServer(call.tool, pattern.prefix) };
    default:
      return matchNamed(call, pattern, aliases, places);
  }
}

function matchNamed(call: Call, pattern: NamedPattern, aliases: ToolAliases, places: PathPlaces): CallMatch {
  const input = isRecord(call.input) ? call.input : {};
  const alias = aliasOf(call.tool, pattern.tool, input, aliases);
  if (alias === undefined) return NO_MATCH;
  switch (pattern.kind) {
    case "tool":
      return { isMatch: true };
    case "command":
      return matchCommandInput(input, alias, pattern, places);
    case "path":
      return matchPathInput(input, alias, pattern.path, places);
    case "domain":
      return matchAddressInput(input, alias, pattern);
    case "word":
      return matchTexts(input, alias, (word) =>
        pattern.isPrefix ? word.startsWith(pattern.word) : word === pattern.word,
      );
  }
}

const NO_MATCH: CallMatch = { isMatch: false };

/** Two underscores separate: `mcp__a` does not match a server `a__b`. */
function isOfServer(tool: string, prefix: string): boolean {
  return tool.startsWith(prefix) && tool.length > prefix.length && !tool.slice(prefix.length).includes("__");
}

/** How to read the tool's input under a pattern name; undefined when the name does not mean this tool. */
function aliasOf(
  tool: string,
  name: string,
  input: Readonly<Record<string, unknown>>,
  aliases: ToolAliases,
): ToolAlias | undefined {
  const family = familyOf(name, aliases);
  const known = family === undefined ? [] : (aliases[family] ?? []);
  const alias = known.find((each) => each.tool === tool && isWhen(each, input));
  return alias ?? (tool === name ? { tool } : undefined);
}

function isWhen({ when }: ToolAlias, input: Readonly<Record<string, unknown>>): boolean {
  if (when === undefined) return true;
  const value = input[when.field];
  return typeof value === "string" && when.values.includes(value);
}

function matchCommandInput(
  input: Readonly<Record<string, unknown>>,
  alias: ToolAlias,
  pattern: CommandPattern,
  places: PathPlaces,
): CallMatch {
  const field = alias.fields?.find((key) => input[key] !== undefined);
  if (field === undefined) return because("the command is not where it is looked for");
  const beside = findBeside(input, { ...alias, fields: [field] });
  if (beside !== undefined) return because(`its field ${beside} may change what is run`);
  const value = input[field];
  const reading = typeof value === "string" ? readCommandLine(value) : readArgv(textsOf(value) ?? []);
  if (reading.problem !== undefined)
    return because(`the command is not a plain one: ${reading.problem.message}`);
  const match = matchCommand(reading.argv, pattern, places);
  if (match.isMatch) return { isMatch: true, argv: reading.argv };
  const { prefix, ...rest } = match;
  return prefix === undefined ? rest : { ...rest, asked: { argv: reading.argv, prefix } };
}

/** A field that is not known to be harmless. An undefined value is ignored. */
function findBeside(input: Readonly<Record<string, unknown>>, alias: ToolAlias): string | undefined {
  const { fields = [], inner = [], harmless = [], when } = alias;
  const read = new Set([...fields, ...inner, ...(when === undefined ? [] : [when.field])]);
  return Object.keys(input).find((key) => !read.has(key) && !isHarmless({ [key]: input[key] }, harmless));
}

/** A harmless field may contain lists or objects, such as file edits with texts. */
function isHarmless(value: unknown, harmless: readonly string[], depth = 0): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (depth > 8) return false;
  if (Array.isArray(value)) return value.every((member) => isHarmless(member, harmless, depth + 1));
  return Object.entries(value).every(
    ([key, member]) =>
      member === undefined ||
      member === null ||
      (harmless.includes(key) && isHarmless(member, harmless, depth + 1)),
  );
}

function matchPathInput(
  input: Readonly<Record<string, unknown>>,
  alias: ToolAlias,
  pattern: string,
  places: PathPlaces,
): CallMatch {
  const beside = findBeside(input, alias);
  if (beside !== undefined) return because(`its field ${beside} may name another file`);
  const inner = (alias.inner ?? []).map((field) => input[field]).filter((value) => value !== undefined);
  if (!inner.every((value) => typeof value === "string" && isInnerGlob(value))) {
    return because("what is looked for may lie outside the path");
  }
  return matchTexts(input, alias, (path) => matchesPath(pattern, path, places));
}

function matchAddressInput(
  input: Readonly<Record<string, unknown>>,
  alias: ToolAlias,
  { domain, isBelow }: { readonly domain: string; readonly isBelow: boolean },
): CallMatch {
  const beside = findBeside(input, alias);
  if (beside !== undefined) return because(`its field ${beside} may name another address`);
  return matchTexts(input, alias, (url) => isOfDomain(url, domain, isBelow));
}

/** Every text in the fields must match, and there must be one. */
function matchTexts(
  input: Readonly<Record<string, unknown>>,
  { fields = [] }: ToolAlias,
  isPassing: (text: string) => boolean,
): CallMatch {
  const values = fields.map((field) => input[field]).filter((value) => value !== undefined);
  const texts = values.map((value) => (typeof value === "string" ? [value] : textsOf(value)));
  const isPlain = texts.length > 0 && texts.every((each) => each !== undefined && each.length > 0);
  return isPlain && texts.flat().every((text) => text !== undefined && isPassing(text))
    ? { isMatch: true }
    : NO_MATCH;
}

/** Ambiguous addresses never match. */
function isOfDomain(text: string, domain: string, isBelow: boolean): boolean {
  if (/[\s\\\p{Cc}]/u.test(text) || !URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (!["http:", "https:"].includes(protocol) || username !== "" || password !== "") return false;
  return isBelow ? hostname.endsWith(`.${domain}`) : hostname === domain;
}

function textsOf(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.every((item) => typeof item === "string") ? value : undefined;
}

function because(reason: string): CallMatch {
  return { isMatch: false, reason };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
