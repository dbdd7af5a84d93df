import { type FrontmatterMap, textList } from "../yaml/value.ts";

/** The values for the placeholders of a body. */
export interface Substitution {
  /** The skill's folder, as the reader of the text should name it. */
  readonly baseDir: string;
  /** The user's text after the skill's name. */
  readonly args?: string;
  /** The names of the arguments by position, from the field `arguments`. */
  readonly names?: readonly string[];
}

/** `{baseDir}` · `${CLAUDE_SKILL_DIR}` · `$ARGUMENTS` · `$ARGUMENTS[0]` · `$0` · `$name`; `\$` keeps the dollar. */
const PLACEHOLDER =
  /\{baseDir\}|\$\{CLAUDE_SKILL_DIR\}|(\\?)\$(?:ARGUMENTS\[(\d{1,3})\]|(ARGUMENTS)(?![A-Za-z0-9_])|(\d{1,3})(?![A-Za-z0-9_])|([A-Za-z_][A-Za-z0-9_]*))/g;

/**
 * Substitutes arguments and the folder in one pass, so that inserted text is not substituted again. A missing
 * positional argument stays as written; a missing named argument becomes empty. Arguments without a placeholder are
 * appended. Shell commands in backticks after an exclamation mark stay text and are not run.
 */
export function substitute(body: string, { baseDir, args = "", names = [] }: Substitution): string {
  const words = splitWords(args);
  let isUsed = false;
  const text = body.replace(PLACEHOLDER, (match, slash: string | undefined, indexed, all, position, name) => {
    if (match.startsWith("{") || match.startsWith("${")) return baseDir;
    const isKnown = name === undefined || names.includes(name);
    if (!isKnown) return match;
    if (slash === "\\") return match.slice(1);
    isUsed = true;
    if (all !== undefined) return args;
    if (name !== undefined) return words[names.indexOf(name)] ?? "";
    return words[Number(indexed ?? position)] ?? match;
  });
  return isUsed || args.trim() === "" ? text : `${text.trimEnd()}\n\nARGUMENTS: ${args}\n`;
}

/** The names of a skill's arguments: a list, or a string of words. */
export function argumentNames(frontmatter: FrontmatterMap): readonly string[] {
  const { arguments: value } = frontmatter;
  return (typeof value === "string" ? value.split(/[\s,]+/) : textList(value)).filter((name) =>
    /^[A-Za-z_]\w*$/.test(name),
  );
}

/** Splits like a shell: spaces separate, quotes join, a backslash escapes the next character. */
export function splitWords(args: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let at = 0; at < args.length; at += 1) {
    const character = args.charAt(at);
    if (quote === undefined && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (quote === undefined && (character === '"' || character === "'")) {
      quote = character;
      word ??= "";
    } else if (character === quote) {
      quote = undefined;
    } else if (character === "\\" && quote !== "'" && at + 1 < args.length) {
      at += 1;
      word = (word ?? "") + args.charAt(at);
    } else {
      word = (word ?? "") + character;
    }
  }
  return word === undefined ? words : [...words, word];
}
