import { spawnSync } from "node:child_process";

export type Shell = "bash" | "dash";

/**
 * What a real shell runs for each line, as the words that the program gets. All lines go to one shell, in which the
 * programs are functions that print their words.
 */
export function argvOfShell(
  shell: Shell,
  programs: readonly string[],
  lines: readonly string[],
): readonly (readonly string[])[] {
  const capture = programs.map((name) => `${name}() { printf '%s\\0' ${name} "$@"; printf '\\001\\0'; }`);
  const script = [...capture, ...lines].join("\n");
  const { stdout } = spawnSync(shell, ["-s"], {
    input: `${script}\n`,
    cwd: "/",
    env: {},
    maxBuffer: 1 << 28,
  });
  const answers: string[][] = [];
  let words: string[] = [];
  for (const word of stdout.toString("utf8").split("\0").slice(0, -1)) {
    if (word === "\u0001") {
      answers.push(words);
      words = [];
    } else {
      words.push(word);
    }
  }
  return answers;
}

/** Pieces of command lines: honest words, every character that is special in a shell, and invisible characters. */
export const pieces: readonly string[] = [
  ...[
    "jq",
    "a.json",
    ".",
    "x",
    "-",
    "..",
    "=",
    "^",
    "%",
    ":",
    "@",
    "+",
    ",",
    "/",
    "0",
    "-n",
    "--a=b",
    "if",
    "time",
  ],
  ...[
    "'",
    '"',
    " ",
    " ",
    " ",
    "\t",
    "'a b'",
    '"c d"',
    "''",
    '""',
    "'$x;'",
    "'é'",
    '"日本"',
    "''\"\"",
    "'\"'",
    '"\'"',
  ],
  ...[
    "\\",
    ";",
    "&",
    "|",
    "$",
    "(",
    ")",
    "`",
    "<",
    ">",
    "\n",
    "\r",
    "{",
    "}",
    "*",
    "?",
    "#",
    "~",
    "!",
    "[",
    "]",
  ],
  ...["$IFS", "$(id)", "A=1", "é", "\u200b", "\u00a0", "\u202e", "\0", "&&", "||", ">>", "$'x'", "\\'"],
];
