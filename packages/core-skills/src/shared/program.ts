import { Console } from "node:console";
import { Writable } from "node:stream";
import { alignRows, type Command, type JsonObject } from "./command.ts";
import { exitCodes, ScriptError, usageError } from "./script-error.ts";
import { processIo, type ScriptIo } from "./script-io.ts";

export interface Program {
  /** How it is called from the skill's folder: `scripts/pdf.mjs`. */
  readonly name: string;
  readonly summary: string;
  readonly commands: readonly Command[];
}

/** Runs the program as this process. Sets the exit code instead of leaving, so that output is written out. */
export async function runMain(program: Program): Promise<void> {
  // Libraries log to the console. Stdout has the answer only, and stderr the failure only.
  Object.assign(globalThis, { console: new Console(new Writable({ write: (_, __, done) => done() })) });
  process.exitCode = await runProgram(program, process.argv.slice(2), processIo());
}

/**
 * Runs one sub-command. Success is one JSON object on stdout and exit code 0. A failure leaves stdout empty, and is
 * one line of JSON on stderr with the exit code of its kind.
 */
export async function runProgram(program: Program, argv: readonly string[], io: ScriptIo): Promise<number> {
  try {
    io.write(await answer(program, argv, io));
    return exitCodes.ok;
  } catch (error) {
    const failure = toScriptError(error);
    const { code, message, hint } = failure;
    io.writeError(`${JSON.stringify({ ok: false, error: { code, message, hint } })}\n`);
    return failure.exit;
  }
}

async function answer(program: Program, argv: readonly string[], io: ScriptIo): Promise<string> {
  const [name, ...rest] = argv;
  if (name === "--help" || name === "-h" || name === "help") return formatHelp(program);
  const command = program.commands.find((each) => each.name === name);
  if (command === undefined) {
    const problem =
      name === undefined ? "No command was given." : `There is no command ${name.slice(0, 64)}.`;
    throw usageError(problem, `Commands: ${program.commands.map((each) => each.name).join(", ")}.`);
  }
  if (asksForHelp(rest)) return command.help(program.name);
  return serialize(await command.run(rest, io));
}

/** After `--` everything is an operand. */
function asksForHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return (end === -1 ? argv : argv.slice(0, end)).some((word) => word === "--help" || word === "-h");
}

/** The last net under the bounds that each command sets for itself. */
function serialize(result: JsonObject): string {
  const text = `${JSON.stringify({ ok: true, ...result })}\n`;
  if (text.length <= ANSWER_LENGTH) return text;
  throw new ScriptError("ANSWER_TOO_LARGE", `The answer has ${text.length} characters.`, {
    hint: "Request less: see the options of the command for ranges and limits.",
  });
}

const ANSWER_LENGTH = 400_000;

function formatHelp(program: Program): string {
  return [
    `Usage: node ${program.name} <command> [arguments] [options]`,
    "",
    `${program.summary}.`,
    "",
    "Commands:",
    ...alignRows(program.commands.map((each) => [each.name, each.summary])),
    "",
    `See node ${program.name} <command> --help for each.`,
    "Answers are JSON on stdout. Failures are JSON on stderr with exit code 1 (failed), 2 (wrong call)",
    "or 3 (the input is broken, encrypted or unsupported).",
    "",
  ].join("\n");
}

function toScriptError(error: unknown): ScriptError {
  if (error instanceof ScriptError) return error;
  // The message of a library is about its own code, and may quote the file.
  return new ScriptError("FAILED", "The command cannot process the structure of this file.", {
    hint: "Open the file in the program that made it and save it again, or use another command.",
    cause: error,
  });
}
