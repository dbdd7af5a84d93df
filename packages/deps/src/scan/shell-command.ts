import { isCommandName } from "./package-name.ts";
import { WRAPPERS } from "./shell-table.ts";
import { type Interest, parseSyntax, type SyntaxNode } from "./syntax.ts";

/** What a shell text runs. */
export interface ShellReading {
  readonly commands: readonly ShellCommand[];
  /** Functions and aliases that it defines. */
  readonly defined: ReadonlySet<string>;
  /** Commands that it asks for with `command -v` and the like, and so can do without, with the line. */
  readonly guarded: ReadonlyMap<string, number>;
  /** Whether it takes in other texts, which may define anything. */
  readonly isSourcing: boolean;
}

export interface ShellCommand {
  readonly name: string;
  /** The plain words after it; what is filled in at run time is undefined. */
  readonly words: readonly (string | undefined)[];
  /** From 1. */
  readonly line: number;
}

/** Undefined when the text is too hard to parse. */
export async function readShell(text: string): Promise<ShellReading | undefined> {
  const commands: ShellCommand[] = [];
  const defined = new Set<string>();
  const guarded = new Map<string, number>();
  const isParsed = await parseSyntax("bash", INTEREST, text, (nodes) => {
    for (const node of nodes) {
      if (node.type === "function_definition") defined.add(node.childForFieldName("name")?.text ?? "");
      else addCommand({ commands, defined, guarded }, node);
    }
  });
  const isSourcing = commands.some(({ name }) => name === "source" || name === ".");
  return isParsed ? { commands, defined, guarded, isSourcing } : undefined;
}

const INTEREST: Interest = { find: ["command", "function_definition"] };

interface Collected {
  readonly commands: ShellCommand[];
  readonly defined: Set<string>;
  readonly guarded: Map<string, number>;
}

function addCommand(into: Collected, node: SyntaxNode): void {
  // What follows a mistake of the text, or of the grammar, is as likely to be an argument.
  if (node.hasError) return;
  const line = node.startPosition.row + 1;
  let words = wordsOf(node);
  for (let depth = 0; depth < MAX_WRAPPERS; depth += 1) {
    const [name, ...rest] = words;
    if (name === undefined) return;
    const asked = askedFor(name, rest);
    for (const each of asked) into.guarded.set(each, line);
    if (asked.length > 0) return;
    if (name === "alias") addAliases(into.defined, rest);
    if (isCommandName(name) || name === ".") into.commands.push({ name, words: rest, line });
    const inner = unwrap(name, rest);
    if (inner === undefined) return;
    words = inner;
  }
}

/** `sudo env nice …`: more than this nobody writes. */
const MAX_WRAPPERS = 5;
const ASKING = new Set(["which", "type", "hash", "whence"]);

function askedFor(name: string, words: readonly (string | undefined)[]): readonly string[] {
  const isAsking = ASKING.has(name) || (name === "command" && /^-[vV]$/.test(words[0] ?? ""));
  if (!isAsking) return [];
  return words.filter((word): word is string => word !== undefined && isCommandName(word));
}

function addAliases(defined: Set<string>, words: readonly (string | undefined)[]): void {
  for (const word of words) {
    const name = /^([^=]+)=/.exec(word ?? "")?.[1];
    if (name !== undefined) defined.add(name);
  }
}

/** The command that a command such as `sudo` runs, from its name on. */
function unwrap(
  name: string,
  words: readonly (string | undefined)[],
): readonly (string | undefined)[] | undefined {
  if (name === "find") return afterExec(words);
  const wrapper = WRAPPERS.get(name);
  if (wrapper === undefined) return undefined;
  let index = 0;
  let own = wrapper.words;
  for (; index < words.length; index += 1) {
    const word = words[index];
    if (word === "--") continue;
    if (word?.startsWith("-") === true) index += wrapper.valued.has(word) ? 1 : 0;
    else if (word !== undefined && /^[A-Za-z_]\w*=/.test(word)) continue;
    else if (own > 0) own -= 1;
    else break;
  }
  return words.slice(index);
}

/** The command of `find … -exec`. */
function afterExec(words: readonly (string | undefined)[]): readonly (string | undefined)[] | undefined {
  const at = words.findIndex((word) => /^-(?:exec|ok)(?:dir)?$/.test(word ?? ""));
  return at === -1 ? undefined : words.slice(at + 1);
}

/** A command's name and arguments, without what is redirected. */
function wordsOf(node: SyntaxNode): readonly (string | undefined)[] {
  const name = node.childForFieldName("name");
  if (name === null) return [];
  const inner = name.namedChildren.length === 1 ? (name.namedChild(0) ?? null) : null;
  return [plain(inner), ...node.childrenForFieldName("argument").map(plain)];
}

const LONGEST_WORD = 1000;

function plain(node: SyntaxNode | null): string | undefined {
  if (node === null || node.endIndex - node.startIndex > LONGEST_WORD) return undefined;
  switch (node.type) {
    case "word":
    case "number":
      return node.text.replace(/\\(.)/g, "$1");
    case "raw_string":
      return node.text.slice(1, -1);
    case "string":
      return node.namedChildren.every((child) => child?.type === "string_content")
        ? node.text.slice(1, -1)
        : undefined;
    case "concatenation":
      return node.namedChildren.every((child) => child?.type === "word" || child?.type === "number")
        ? node.text
        : plainAssignment(node);
    default:
      return undefined;
  }
}

/** `ll='ls -l'` and `A="$B"`: of a word in parts only a name before `=` is of use. */
function plainAssignment(node: SyntaxNode): string | undefined {
  return /^[\w-]+=/.exec(node.text)?.[0];
}
