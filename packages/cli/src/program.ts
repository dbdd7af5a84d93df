import type { SkillError } from "@skillhold/protocol/error";
import { Command, CommanderError } from "commander";
import type { AnyOptions, CommandModule, CommandRow } from "./command.ts";
import {
  findRow,
  formatExamples,
  formatGroup,
  formatOverview,
  globalOptions,
  groupOf,
  verbOf,
} from "./overview.ts";
import type { ExitCode, Io } from "./terminal/output.ts";

/** A parsed command line. */
export interface Invocation {
  readonly command: CommandModule;
  readonly args: readonly string[];
  readonly options: AnyOptions;
  readonly table: readonly CommandRow[];
  /** The value of `-C`. */
  readonly cwd: string | undefined;
}

export interface ProgramContext {
  readonly io: Pick<Io, "out" | "err" | "color" | "errColor" | "json">;
  readonly version: string;
}

/** Returns the command to run, or the exit code after printing help or the version. Loads one command's module. */
export async function parseCommandLine(
  argv: readonly string[],
  table: readonly CommandRow[],
  context: ProgramContext,
): Promise<Invocation | ExitCode> {
  const row = findRow(argv, table);
  const command = row === undefined ? undefined : (await row.load()).command;
  let invocation: Invocation | undefined;
  const program = makeProgram(table, context, row, command, (parsed) => {
    invocation = parsed;
  });
  const operands = new Operands(argv);
  try {
    program.parse(operands.masked, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    error.message = operands.restoreIn(error.message);
    return await readExit(error, table, context);
  }
  return invocation === undefined
    ? 0
    : { ...invocation, args: invocation.args.map((arg) => operands.restore(arg)) };
}

/**
 * The arguments after `--`, hidden from the parser: after an unknown option it would read a `--help` among them as ours.
 * An argument of a process never has a NUL character, so the stand-ins are unique.
 */
class Operands {
  readonly masked: readonly string[];
  readonly #hidden: readonly string[];

  constructor(argv: readonly string[]) {
    const end = argv.indexOf("--") + 1;
    this.#hidden = end === 0 ? [] : argv.slice(end);
    this.masked = end === 0 ? argv : [...argv.slice(0, end), ...this.#hidden.map((_, at) => `\0${at}`)];
  }

  restore(arg: string): string {
    return arg.startsWith("\0") ? (this.#hidden[Number(arg.slice(1))] ?? arg) : arg;
  }

  restoreIn(message: string): string {
    return message
      .split(/(\0\d+)/)
      .map((part) => this.restore(part))
      .join("");
  }
}

function makeProgram(
  table: readonly CommandRow[],
  { io, version }: ProgramContext,
  chosen: CommandRow | undefined,
  module: CommandModule | undefined,
  accept: (invocation: Invocation) => void,
): Command {
  const { version: versionOption, json, cwd, help } = globalOptions;
  const program = new Command("skillhold")
    .version(version, versionOption.flags, versionOption.summary)
    .helpOption(help.flags, help.summary)
    .option(json.flags, json.summary)
    .option(cwd.flags, cwd.summary)
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .configureOutput({
      writeOut: io.out,
      writeErr: io.json ? () => {} : io.err,
      outputError: () => {},
      getOutHasColors: () => io.color,
      getErrHasColors: () => io.errColor,
    });
  program.helpInformation = () => formatOverview(table);
  // The parser compares each new command with all others, so it gets only those that start with the same word.
  const rows = chosen === undefined ? table : table.filter((row) => wordOf(row) === wordOf(chosen));
  for (const row of rows) {
    const group = groupOf(row);
    const parent = group === undefined ? program : openGroup(program, group, table);
    const command = openCommand(parent, row);
    if (row === chosen && module !== undefined)
      addModule(command, parent, module, (args, options) =>
        accept({ command: module, args, options, table, cwd: program.opts<{ cwd?: string }>().cwd }),
      );
  }
  return program;
}

/** The first word of a command. */
function wordOf(row: CommandRow): string {
  return groupOf(row) ?? row.name;
}

/** A group is a command that prints its members. */
function openGroup(program: Command, group: string, table: readonly CommandRow[]): Command {
  const opened = program.commands.find((command) => command.name() === group);
  const made = opened ?? program.command(group);
  // A group that is also a command keeps its own help.
  if (table.some(({ name }) => name === group)) return made;
  made.helpInformation = () => formatGroup(group, table);
  return made;
}

function openCommand(parent: Command, row: CommandRow): Command {
  const verb = verbOf(row);
  const opened = parent.commands.find((command) => command.name() === verb);
  return (opened ?? parent.command(verb)).description(row.summary);
}

function addModule(
  command: Command,
  parent: Command,
  module: CommandModule,
  accept: (args: Invocation["args"], options: AnyOptions) => void,
): void {
  for (const { usage, summary, default: value } of module.arguments) {
    const argument = command.createArgument(usage, summary);
    command.addArgument(value === undefined ? argument : argument.default(value, value.join(" ")));
  }
  for (const { flags, summary, choices, default: value, repeats } of module.options) {
    const option = command.createOption(flags, summary).default(value);
    if (choices !== undefined) option.choices(choices);
    if (repeats) option.argParser(collect);
    command.addOption(option);
  }
  command.addHelpText("after", `\n${formatExamples(module.examples).trimEnd()}`);
  command.action(() => {
    const args = command.processedArgs.flat().filter((value) => value !== undefined);
    // A group may also be a command and then parses the options that both share.
    accept(args, parent.parent === null ? command.opts() : { ...command.opts(), ...parent.opts() });
  });
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** Commander throws for help, the version and misuse alike. */
async function readExit(
  error: CommanderError,
  table: readonly CommandRow[],
  { io }: ProgramContext,
): Promise<ExitCode> {
  if (error.exitCode === 0) return 0;
  if (error.code === "commander.help" && !io.json) return 2;
  throw await misuseOf(error, table);
}

const DASH_HINT = "Run with --help for the options. Put arguments that start with a dash after `--`.";

/** Converts the parser's error to a coded one and adds a suggestion where it can. */
async function misuseOf(
  { code, message }: CommanderError,
  table: readonly CommandRow[],
): Promise<SkillError> {
  const { SkillError } = await import("@skillhold/protocol/error");
  if (code === "commander.help") return new SkillError("USAGE", "No command was given.");
  const [, reason = message, guess] = /^(?:error: )?(.*?)(?:\n\((.*)\))?$/s.exec(message) ?? [];
  const isUnknown = code === "commander.unknownOption";
  const hint = guess ?? (await guessFrom(reason, table)) ?? (isUnknown ? DASH_HINT : undefined);
  return new SkillError("USAGE", reason, hint === undefined ? {} : { hint });
}

/** Suggests choices and group members; the parser itself suggests commands and options. */
async function guessFrom(message: string, table: readonly CommandRow[]): Promise<string | undefined> {
  // Loaded here because only misuse needs it.
  const { didYouMean, suggest } = await import("@skillhold/skill/suggest");
  const [, choice, choices] = /argument '(.*)' is invalid\. Allowed choices are (.*)\.$/.exec(message) ?? [];
  if (choice !== undefined) return didYouMean(suggest(choice, choices?.split(", ") ?? []));
  // In a group that is also a command, a misspelled member looks like one argument too many.
  const [, group, word] = /^too many arguments for '(.*?)'\..* but got 1: (.*)\.$/.exec(message) ?? [];
  const members = table.filter((row) => groupOf(row) === group).map(verbOf);
  return word === undefined ? undefined : didYouMean(suggest(word, members));
}
