/** One simple command as words, or why it is not one. */
export type CommandReading =
  | { readonly argv: Argv; readonly problem?: never }
  | { readonly problem: CommandProblem; readonly argv?: never };

export type Argv = readonly [string, ...string[]];

export interface CommandProblem {
  readonly code: CommandProblemCode;
  readonly message: string;
}

export type CommandProblemCode =
  | "TOO_LONG"
  | "INVISIBLE"
  | "UNCLOSED_QUOTE"
  | "EXPANSION"
  | "SHELL_SYNTAX"
  | "EMPTY"
  | "ASSIGNMENT"
  | "PROGRAM_NAME"
  | "RESERVED_WORD";

/**
 * Reads a command line with one meaning in every shell and without one: a plain program name, and plain or quoted
 * words without expansions. Rejects chaining, redirection, substitution, globs, escapes, assignments, line breaks,
 * invisible characters and unquoted non-ASCII.
 *
 * Contract: non-interactive bash and dash would run exactly `argv`. Run that, without a shell.
 */
export function readCommandLine(line: string): CommandReading {
  const reading = readCommandWords(line);
  if (reading.problem !== undefined) return reading;
  const [program, ...rest] = reading.words;
  if (program === undefined) return refuse("EMPTY", "it is empty");
  const isPlain = /^[ \t]*([^ \t'"]*)(?:[ \t]|$)/.exec(line)?.[1] === program;
  if (!isPlain) return refuse("PROGRAM_NAME", "its program is written with quotes");
  return readArgv([program, ...rest]);
}

/** Checks a command that is already a list of words. */
export function readArgv(words: readonly string[]): CommandReading {
  const [program, ...rest] = words;
  if (program === undefined || program === "") return refuse("EMPTY", "it is empty");
  if (words.some((word) => word.includes("\0"))) return refuse("INVISIBLE", "it contains a NUL");
  if (/^[A-Za-z_]\w*\+?=/.test(program)) return refuse("ASSIGNMENT", "it sets a variable first");
  if (!/^[A-Za-z0-9_./+][A-Za-z0-9_./+-]*$/.test(program)) {
    return refuse("PROGRAM_NAME", "its first word is not the plain name of a program");
  }
  if (RESERVED.has(program)) return refuse("RESERVED_WORD", `${program} is a word of the shell's language`);
  return { argv: [program, ...rest] };
}

export const MAX_COMMAND = 8192;

export type WordReading =
  | { readonly words: readonly string[]; readonly problem?: never }
  | { readonly problem: CommandProblem; readonly words?: never };

/**
 * The words of a line. Placeholders such as `${CLAUDE_SKILL_DIR}` that match `placeholder` are kept, for patterns
 * only: in a command they would be expansions.
 */
export function readCommandWords(line: string, placeholder?: RegExp): WordReading {
  if (line.length > MAX_COMMAND) return refuse("TOO_LONG", `it is longer than ${MAX_COMMAND} characters`);
  if (INVISIBLE.test(line)) return refuse("INVISIBLE", "it contains a line break or an invisible character");
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < line.length; ) {
    const character = line.charAt(at);
    if (character === " " || character === "\t") {
      if (word !== undefined) words.push(word);
      word = undefined;
      at += 1;
      continue;
    }
    const piece = readPiece(line, at, placeholder);
    if (piece.problem !== undefined) return piece;
    word = (word ?? "") + piece.text;
    at = piece.end;
  }
  return { words: word === undefined ? words : [...words, word] };
}

type Piece =
  | { readonly text: string; readonly end: number; readonly problem?: never }
  | { readonly problem: CommandProblem };

/** Line breaks, controls, every space except space and tab, zero-width, bidi and tag characters, lone surrogates. */
const INVISIBLE = /(?![\t ])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Words that start a shell construct and not a program. */
const RESERVED: ReadonlySet<string> = new Set(
  "if then else elif fi case esac for foreach select while until repeat do done in end function time coproc nocorrect noglob".split(
    " ",
  ),
);

const PLAIN = /[A-Za-z0-9_@%+=:,./^-]/;

function readPiece(line: string, at: number, placeholder: RegExp | undefined): Piece {
  const character = line.charAt(at);
  const kept = placeholderAt(line, at, placeholder);
  if (kept !== undefined) return { text: kept, end: at + kept.length };
  if (PLAIN.test(character)) return { text: character, end: at + 1 };
  if (character === "'") return readSingleQuoted(line, at);
  if (character === '"') return readDoubleQuoted(line, at, placeholder);
  const shown = JSON.stringify(String.fromCodePoint(line.codePointAt(at) ?? 0));
  return refuse("SHELL_SYNTAX", `it holds ${shown} outside quotes, which a shell may take as more than text`);
}

function readSingleQuoted(line: string, from: number): Piece {
  const close = line.indexOf("'", from + 1);
  if (close === -1) return refuse("UNCLOSED_QUOTE", "a quote is not closed");
  return { text: line.slice(from + 1, close), end: close + 1 };
}

function readDoubleQuoted(line: string, from: number, placeholder: RegExp | undefined): Piece {
  let text = "";
  for (let at = from + 1; at < line.length; ) {
    const character = line.charAt(at);
    if (character === '"') return { text, end: at + 1 };
    const kept = placeholderAt(line, at, placeholder);
    if (kept === undefined && /[$`\\!]/.test(character)) {
      return refuse("EXPANSION", `it holds ${character} in double quotes, which a shell expands`);
    }
    text += kept ?? character;
    at += kept?.length ?? 1;
  }
  return refuse("UNCLOSED_QUOTE", "a quote is not closed");
}

function placeholderAt(line: string, at: number, placeholder: RegExp | undefined): string | undefined {
  if (placeholder === undefined || !/[${]/.test(line.charAt(at))) return undefined;
  const match = placeholder.exec(line.slice(at, at + 64));
  return match?.index === 0 ? match[0] : undefined;
}

function refuse(code: CommandProblemCode, message: string): { readonly problem: CommandProblem } {
  return { problem: { code, message } };
}
