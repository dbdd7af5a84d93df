import type { ExitCode, Io } from "./terminal/output.ts";

/** The sections of the overview, in its order. */
export const sections = ["Find", "Check", "Run", "Publish", "Access", "Serve", "Install", "Operate"] as const;
export type Section = (typeof sections)[number];

/** A command in the overview. Its module has the rest and is loaded when the command is called. */
export interface CommandRow {
  /** The words to type: `list`, `secret set`. */
  readonly name: string;
  readonly section: Section;
  readonly summary: string;
  readonly load: () => Promise<{ readonly command: CommandModule }>;
}

export function row(name: string, section: Section, summary: string, load: CommandRow["load"]): CommandRow {
  return { name, section, summary, load };
}

/** One command: its arguments and options, and the function that runs it. */
export interface CommandModule {
  readonly arguments: readonly ArgumentSpec[];
  readonly options: readonly OptionSpec[];
  /** Command lines as a reader would type them, without the leading `skillhold`. */
  readonly examples: readonly string[];
  /** For a command that runs until it is interrupted: how long it may take to stop. */
  readonly graceMs?: number;
  readonly run: (input: CommandInput) => Promise<ExitCode>;
}

export interface ArgumentSpec {
  /** In commander's notation: `<path>`, `[path]`, `<paths...>`, `[paths...]`. */
  readonly usage: string;
  readonly summary: string;
  /** The value of an omitted optional argument. */
  readonly default?: readonly string[];
}

export interface OptionSpec {
  /** In commander's notation: `--fix`, `--profile <name>`. */
  readonly flags: string;
  readonly summary: string;
  readonly choices?: readonly string[];
  readonly default?: string | boolean;
  /** May be given several times; the command gets a list, or undefined when it was not given. */
  readonly repeats?: true;
}

/** Options by name, when their types do not matter. */
export type AnyOptions = Readonly<Record<string, unknown>>;

export interface CommandInput<Options = AnyOptions> {
  readonly args: readonly string[];
  /** By the option's name in camel case. */
  readonly options: Options;
  readonly io: Io;
  /** Every command, for commands about commands. */
  readonly table: readonly CommandRow[];
}

/** The values of a list of options, by name: reading an option that a command does not have is a type error. */
export type OptionsOf<Specs extends readonly OptionSpec[]> = {
  readonly [Spec in Specs[number] as NameOf<Spec["flags"]>]: ValueOf<Spec>;
};

type NameOf<Flags extends string> = Flags extends `--no-${infer Name}`
  ? Camel<FirstWord<Name>>
  : Flags extends `--${infer Name}`
    ? Camel<FirstWord<Name>>
    : string;
type FirstWord<Text extends string> = Text extends `${infer Word} ${string}` ? Word : Text;
type Camel<Text extends string> = Text extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Text;
type ValueOf<Spec extends OptionSpec> = Spec extends { readonly repeats: true }
  ? readonly string[] | undefined
  : Spec["flags"] extends `${string}<${string}`
    ? TextOf<Spec> | (Spec extends { readonly default: string } ? never : undefined)
    : boolean | undefined;
type TextOf<Spec> = Spec extends { readonly choices: readonly (infer Choice)[] } ? Choice : string;

/** Types a command's `run` by its options. */
export function defineCommand<const Options extends readonly OptionSpec[]>(
  command: Omit<CommandModule, "options" | "run"> & {
    readonly options: Options;
    readonly run: (input: CommandInput<OptionsOf<Options>>) => Promise<ExitCode>;
  },
): CommandModule {
  // The parser builds the options from the same list, so the values have the types that `run` expects.
  return command as unknown as CommandModule;
}
