import { Command, CommanderError } from "commander";
import type { ExitCode, Io } from "./output.ts";
import {
  type CommandGroup,
  type CommandOutline,
  formatExamples,
  formatGroup,
  formatOverview,
  globalOptions,
} from "./overview.ts";

/** One command. What it does is loaded when it is called, so that the start stays fast. */
export interface CommandSpec extends CommandOutline {
  readonly options: readonly OptionSpec[];
  /** For a command that runs until it is interrupted: how long it may take to end then, in its own way. */
  readonly graceMs?: number;
  readonly load: () => Promise<CommandModule>;
}

export interface OptionSpec {
  /** In commander's notation: `--fix`, `--profile <name>`. */
  readonly flags: string;
  readonly summary: string;
  readonly choices?: readonly string[];
  readonly default?: string | boolean;
  /** May be given several times; the command gets a list, undefined when it was not given. */
  readonly repeats?: true;
}

export interface CommandModule {
  readonly run: (input: CommandInput) => Promise<ExitCode>;
}

export interface CommandInput {
  readonly args: readonly string[];
  /** By the option's name in camel case. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly io: Io;
}

/** A parsed command line. */
export interface Invocation {
  readonly spec: CommandSpec;
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
  /** As given with `-C`. */
  readonly cwd: string | undefined;
}

export interface ProgramContext {
  readonly io: Pick<Io, "out" | "err" | "color" | "errColor" | "json">;
  readonly version: string;
}

/** Returns what to run, or the exit code when printing help or the version was all there was to do. */
export async function parseCommandLine(
  argv: readonly string[],
  table: readonly CommandSpec[],
  context: ProgramContext,
): Promise<Invocation | ExitCode> {
  let invocation: Invocation | undefined;
  const program = makeProgram(table, context, (parsed) => {
    invocation = parsed;
  });
  try {
    program.parse(argv, { from: "user" });
  } catch (error) {
    if (error instanceof CommanderError) return await readExit(error, table, context);
    throw error;
  }
  return invocation ?? 0;
}

export function makeProgram(
  table: readonly CommandSpec[],
  { io, version }: ProgramContext,
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
  for (const spec of table) {
    const parent = spec.group === undefined ? program : openGroup(program, spec.group, table);
    addCommand(parent, spec, (args, options) =>
      accept({ spec, args, options, cwd: program.opts<{ cwd?: string }>().cwd }),
    );
  }
  return program;
}

/** The command of a group's name, which by itself prints what belongs to it. */
function openGroup(program: Command, group: CommandGroup, table: readonly CommandSpec[]): Command {
  const opened = program.commands.find((command) => command.name() === group.name);
  if (opened !== undefined) return opened;
  const made = program.command(group.name).description(group.summary);
  const members = table.filter((spec) => spec.group?.name === group.name);
  made.helpInformation = () => formatGroup(group, members);
  return made;
}

function addCommand(
  parent: Command,
  spec: CommandSpec,
  accept: (args: Invocation["args"], options: Invocation["options"]) => void,
): void {
  const command = parent.command(spec.name).description(spec.summary);
  for (const { usage, summary, default: value } of spec.arguments) {
    const argument = command.createArgument(usage, summary);
    command.addArgument(value === undefined ? argument : argument.default(value, value.join(" ")));
  }
  for (const { flags, summary, choices, default: value, repeats } of spec.options) {
    const option = command.createOption(flags, summary).default(value);
    if (choices !== undefined) option.choices(choices);
    if (repeats) option.argParser(collect);
    command.addOption(option);
  }
  command.addHelpText("after", `\n${formatExamples(spec.examples).trimEnd()}`);
  command.action(() => {
    const args = command.processedArgs.flat().filter((value) => value !== undefined);
    // A group may be a command as well, which takes the options that both have.
    accept(args, parent.parent === null ? command.opts() : { ...command.opts(), ...parent.opts() });
  });
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** Commander reports help, the version and misuse alike by throwing. */
async function readExit(
  error: CommanderError,
  table: readonly CommandSpec[],
  { io }: ProgramContext,
): Promise<ExitCode> {
  if (error.exitCode === 0) return 0;
  if (error.code === "commander.help" && !io.json) return 2;
  const { misuseOf } = await import("./misuse.ts");
  throw misuseOf(error, table);
}
