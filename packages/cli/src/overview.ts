import { type CommandRow, sections } from "./command.ts";

const description = "The skills system for AI agents: find, check, run, publish and audit skills.";

/** The options that every command takes. */
export const globalOptions = {
  version: { flags: "-V, --version", summary: "print the version" },
  json: { flags: "--json", summary: "print one JSON document to standard output" },
  cwd: { flags: "-C, --cwd <folder>", summary: "resolve relative paths from this folder" },
  help: { flags: "-h, --help", summary: "print help; also after a command" },
} as const;

const EXAMPLES = ["list", "validate ./skills", "search merge pdf files", "publish ./my-skill", "serve"];

/** Contract: true only where the overview is the whole answer, so that no other module is loaded. */
export function asksForOverview(argv: readonly string[]): boolean {
  return argv.length === 1 && ["--help", "-h", "help"].includes(argv[0] ?? "");
}

/** The text of `skillhold --help`. It needs only the table, because loading the parser would take longer. */
export function formatOverview(table: readonly CommandRow[]): string {
  const options = Object.values(globalOptions).map(({ flags, summary }): Row => [flags, summary]);
  const width = Math.max(...[...options, ...table.map(rowOf)].map(([term]) => term.length));
  const parts = sections.flatMap((section) => {
    const rows = table.filter((row) => row.section === section).map(rowOf);
    return rows.length === 0 ? [] : [formatSection(section, rows, width)];
  });
  return [
    "Usage: skillhold [options] <command>",
    description,
    ...parts,
    formatSection("Options", options, width),
    formatExamples(EXAMPLES),
  ].join("\n\n");
}

/** The text of `skillhold secret`: the members of a group. */
export function formatGroup(group: string, table: readonly CommandRow[]): string {
  const rows = table.filter((row) => groupOf(row) === group).map(rowOf);
  const width = Math.max(...rows.map(([term]) => term.length));
  return [`Usage: skillhold ${group} <command>`, formatSection("Commands", rows, width)].join("\n\n");
}

/** The word before the verb: `secret` of `secret set`. */
export function groupOf({ name }: Pick<CommandRow, "name">): string | undefined {
  return name.includes(" ") ? name.split(" ")[0] : undefined;
}

export function verbOf({ name }: Pick<CommandRow, "name">): string {
  return name.split(" ").at(-1) ?? name;
}

/** The command that a command line names; undefined when it names no command. */
export function findRow(argv: readonly string[], table: readonly CommandRow[]): CommandRow | undefined {
  const words = wordsOf(argv);
  const named = words[0] === "help" ? words.slice(1) : words;
  const [first = "", second = ""] = named;
  return table.find(({ name }) => name === `${first} ${second}`) ?? table.find(({ name }) => name === first);
}

/** The arguments without options; the value of `-C` is not a word. */
function wordsOf(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf("--");
  const parsed = end < 0 ? argv : argv.slice(0, end);
  return parsed.filter((word, at) => !word.startsWith("-") && !["-C", "--cwd"].includes(argv[at - 1] ?? ""));
}

export function formatExamples(examples: readonly string[]): string {
  return `Examples:\n${examples.map((example) => `  $ skillhold ${example}\n`).join("")}`;
}

type Row = readonly [term: string, summary: string];

function rowOf({ name, summary }: CommandRow): Row {
  return [name, summary];
}

function formatSection(title: string, rows: readonly Row[], width: number): string {
  const lines = rows.map(([term, summary]) => `  ${term.padEnd(width)}  ${summary}`);
  return [`${title}:`, ...lines].join("\n");
}
