/** What the overview shows of a command. */
export interface CommandOutline {
  readonly name: string;
  /** The word before the name, for commands that belong together: `secret set`, `secret list`. */
  readonly group?: CommandGroup;
  readonly summary: string;
  readonly arguments: readonly ArgumentSpec[];
  /** Command lines as a reader would type them, without the leading `skillhold`. */
  readonly examples: readonly string[];
}

export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
}

export interface ArgumentSpec {
  /** In commander's notation: `<path>`, `[path]`, `<paths...>`, `[paths...]`. */
  readonly usage: string;
  readonly summary: string;
  /** Taken when an optional argument is left out. */
  readonly default?: readonly string[];
}

const description = "The skills system for AI agents: find, check, hand over and run skills.";

/** The options that every command takes. */
export const globalOptions = {
  version: { flags: "-V, --version", summary: "print the version" },
  json: { flags: "--json", summary: "answer with one JSON document on standard output" },
  cwd: { flags: "-C, --cwd <folder>", summary: "start relative paths from this folder" },
  help: { flags: "-h, --help", summary: "print help, also for a command" },
} as const;

/** How many commands show an example; the table has those first that a newcomer needs. */
const EXAMPLES = 5;

/** Contract: true only where the overview is the whole answer, so that nothing else has to be loaded for it. */
export function asksForOverview(argv: readonly string[]): boolean {
  return argv.length === 1 && ["--help", "-h", "help"].includes(argv[0] ?? "");
}

/** What `skillhold --help` prints. It is made from the table alone: loading the parser takes longer than the rest of the start. */
export function formatOverview(table: readonly CommandOutline[]): string {
  const options = Object.values(globalOptions).map(({ flags, summary }): Row => [flags, summary]);
  const commands = new Map(table.map((spec): Row => overviewRow(spec, table)));
  const width = Math.max(...[...options, ...commands].map(([term]) => term.length));
  return [
    "Usage: skillhold [options] <command>",
    description,
    formatSection("Options", options, width),
    formatSection("Commands", [...commands], width),
    formatExamples(table.slice(0, EXAMPLES).flatMap(({ examples }) => examples.slice(0, 1))),
  ].join("\n\n");
}

/** What `skillhold secret` prints: the commands of a group. */
export function formatGroup({ name, summary }: CommandGroup, members: readonly CommandOutline[]): string {
  const rows = members.map((spec): Row => [formatUsage(spec), spec.summary]);
  const width = Math.max(...rows.map(([term]) => term.length));
  return [
    `Usage: skillhold ${name} <command>`,
    `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
    formatSection("Commands", rows, width),
    formatExamples(members.flatMap(({ examples }) => examples.slice(0, 1))),
  ].join("\n\n");
}

/** As it is typed: `list`, `secret set`. */
export function fullName({ name, group }: CommandOutline): string {
  return group === undefined ? name : `${group.name} ${name}`;
}

export function formatExamples(examples: readonly string[]): string {
  return `Examples:\n${examples.map((example) => `  $ skillhold ${example}\n`).join("")}`;
}

type Row = readonly [term: string, summary: string];

/** A group of several is one row. Of a command's arguments only those are shown that must be given, if any must. */
function overviewRow(spec: CommandOutline, table: readonly CommandOutline[]): Row {
  const { group, arguments: list } = spec;
  if (group !== undefined && table.filter((other) => other.group?.name === group.name).length > 1)
    return [`${group.name} <command>`, group.summary];
  const required = list.filter(({ usage }) => usage.startsWith("<"));
  return [formatUsage({ ...spec, arguments: required.length > 0 ? required : list }), spec.summary];
}

function formatUsage(spec: CommandOutline): string {
  return [fullName(spec), ...spec.arguments.map(({ usage }) => usage)].join(" ");
}

function formatSection(title: string, rows: readonly Row[], width: number): string {
  const lines = rows.map(([term, summary]) => `  ${term.padEnd(width)}  ${summary}`);
  return [`${title}:`, ...lines].join("\n");
}
