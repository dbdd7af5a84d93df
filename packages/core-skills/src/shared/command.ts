import { parseArgs } from "node:util";
import { messageOf, usageError } from "./script-error.ts";
import type { ScriptIo } from "./script-io.ts";

/** One sub-command of a program, its options already behind a closure. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  help(program: string): string;
  /** Throws when `run` would reject these arguments; has no other effect. */
  check(argv: readonly string[]): void;
  run(argv: readonly string[], io: ScriptIo): Promise<JsonObject>;
}

export interface CommandSpec<Options extends OptionTable> {
  readonly name: string;
  /** One line, in the imperative, without a full stop. */
  readonly summary: string;
  /** The arguments that are not options; by default the command accepts no operands. */
  readonly operands?: Operands;
  readonly options: Options;
  /** More lines for `--help`: examples, shapes of inputs, traps. */
  readonly details?: string;
  run(call: Call<Options>, io: ScriptIo): Promise<JsonObject> | JsonObject;
}

export interface Operands {
  /** As the usage line shows them: `<file...>`. */
  readonly label: string;
  readonly min: number;
  readonly max: number;
}

export type OptionTable = Readonly<Record<string, Option>>;

export interface Option {
  readonly type: "string" | "boolean";
  /** May be given more than once. */
  readonly multiple?: boolean;
  readonly help: string;
  /** What stands for the value in help: `file`, `n`. */
  readonly value?: string;
}

export interface Call<Options extends OptionTable> {
  readonly operands: readonly string[];
  readonly options: OptionValues<Options>;
}

export type OptionValues<Options extends OptionTable> = {
  readonly [Name in keyof Options]: OptionValue<Options[Name]> | undefined;
};

type OptionValue<Each extends Option> = Each extends { readonly multiple: true }
  ? readonly Single<Each>[]
  : Single<Each>;
type Single<Each extends Option> = Each extends { readonly type: "boolean" } ? boolean : string;

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
/** A key that is undefined is left out of the answer. */
export type JsonObject = { readonly [key: string]: JsonValue | undefined };

/** Makes a sub-command whose `run` sees its options typed by their table. */
export function defineCommand<const Options extends OptionTable>(spec: CommandSpec<Options>): Command {
  return {
    name: spec.name,
    summary: spec.summary,
    help: (program) => formatHelp(program, spec),
    check: (argv) => void readCall(argv, spec),
    run: async (argv, io) => spec.run(readCall(argv, spec), io),
  };
}

function readCall<Options extends OptionTable>(
  argv: readonly string[],
  spec: CommandSpec<Options>,
): Call<Options> {
  const { values, positionals } = parse(argv, spec);
  const { min, max, label } = spec.operands ?? { min: 0, max: 0, label: "no arguments" };
  if (positionals.length < min || positionals.length > max) {
    throw usageError(
      `${spec.name} expects ${label}, but got ${positionals.length}.`,
      `See ${spec.name} --help.`,
    );
  }
  // parseArgs has just checked every value against the same table.
  return { operands: positionals, options: values as unknown as OptionValues<Options> };
}

function parse(argv: readonly string[], spec: CommandSpec<OptionTable>) {
  const options = Object.fromEntries(
    Object.entries(spec.options).map(([name, { type, multiple }]) => [
      name,
      { type, multiple: multiple ?? false },
    ]),
  );
  try {
    return parseArgs({
      args: joinNegative(argv, spec.options),
      options,
      allowPositionals: true,
      strict: true,
    });
  } catch (error) {
    throw usageError(messageOf(error), `See ${spec.name} --help.`);
  }
}

/** A number below zero is a value and no option: `--by -90` is `--by=-90`. */
function joinNegative(argv: readonly string[], options: OptionTable): string[] {
  const joined: string[] = [];
  for (const word of argv) {
    const last = joined.at(-1) ?? "";
    const isValue = /^-\d/.test(word) && last.startsWith("--") && options[last.slice(2)]?.type === "string";
    if (isValue) joined[joined.length - 1] = `${last}=${word}`;
    else joined.push(word);
  }
  return joined;
}

function formatHelp(program: string, spec: CommandSpec<OptionTable>): string {
  const operands = spec.operands === undefined ? "" : ` ${spec.operands.label}`;
  const rows = Object.entries(spec.options).map(([name, option]): [string, string] => {
    const value = option.type === "boolean" ? "" : ` <${option.value ?? "text"}>`;
    return [`--${name}${value}`, option.multiple === true ? `${option.help} (repeatable)` : option.help];
  });
  return [
    `Usage: node ${program} ${spec.name}${operands} [options]`,
    "",
    `${spec.summary}.`,
    "",
    "Options:",
    ...alignRows([...rows, ["--help", "Show this text"]]),
    ...(spec.details === undefined ? [] : ["", spec.details.trim()]),
    "",
  ].join("\n");
}

/** Two columns, as help texts have them. */
export function alignRows(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`);
}
