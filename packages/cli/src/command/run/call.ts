import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { ioFailure, statPath } from "@skillhold/host/place";
import { SkillError } from "@skillhold/protocol/error";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { getEntry } from "../../get-entry.ts";
import { textOption } from "../../option.ts";
import { consentOption, idArgument, libraryOptions } from "../../shared-option.ts";
import { type ExitCode, type Io, printData } from "../../terminal/output.ts";
import { forReader } from "../../terminal/text.ts";
import { withSession } from "./run-session.ts";

const optionSpecs = [
  {
    flags: "--args <json>",
    summary: "pass these arguments, or `@file` to read them from a file",
    default: "{}",
  },
  consentOption,
  ...libraryOptions,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [idArgument, { usage: "<tool>", summary: "the tool's name, as `tools` prints it" }],
  options: optionSpecs,
  examples: [`call weather forecast --args '{"city":"Oslo"}'`],
  run,
});

/** Calls a declared tool of a skill and prints its result. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  const [wanted = "", tool = ""] = input.args;
  const args = readArguments(textOption(options, "args") ?? "{}", io);
  return await withSession<ExitCode>(input, async (running) => {
    const { id } = await getEntry(running, wanted);
    const answer = await running.session.callTool(id, tool, args, { signal: io.signal });
    if (io.json) printData(io, answer);
    else io.out(`${forReader(io, formatResult(answer.result))}\n`);
    return 0;
  });
}

function readArguments(text: string, io: Io): Readonly<Record<string, unknown>> {
  const isFile = text.startsWith("@");
  const source = isFile ? readText(text.slice(1), io) : text;
  const what = isFile ? `${text.slice(1)} is not` : "--args is not";
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch (error) {
    throw new SkillError("USAGE", `${what} valid JSON: ${error instanceof Error ? error.message : error}`, {
      hint: `Use a JSON object: --args '{"name":"value"}' or --args @file.json.`,
    });
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    // The check above proves a JSON object; the tool's schema checks its values.
    return value as Readonly<Record<string, unknown>>;
  }
  throw new SkillError("USAGE", `${what} a JSON object.`, {
    hint: `Use a JSON object: --args '{"name":"value"}'.`,
  });
}

function readText(label: string, io: Io): string {
  const path = resolve(io.cwd, label);
  if (statPath(path, label) === undefined)
    throw new SkillError("PATH_NOT_FOUND", `The path ${label} does not exist.`);
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw ioFailure(`${label} cannot be read`, error);
  }
}

function formatResult(result: unknown): string {
  return typeof result === "string" ? result : (JSON.stringify(result, undefined, 2) ?? "");
}
