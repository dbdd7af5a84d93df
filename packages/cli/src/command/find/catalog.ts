import type { Catalogue, CatalogueFormat } from "@skillhold/core/catalogue";
import { openSession, systemPorts } from "@skillhold/core/session";
import { present } from "@skillhold/host/place";
import { limitTable, withLimits } from "@skillhold/protocol/limits";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { withLibrary } from "../../open.ts";
import { countOption, listOption, textOption } from "../../option.ts";
import { readingOptions } from "../../shared-option.ts";
import { type ExitCode, type Io, printData } from "../../terminal/output.ts";
import { count, forReader } from "../../terminal/text.ts";

const optionSpecs = [
  {
    flags: "--format <name>",
    summary: "write this format; by default the one for --model",
    choices: ["xml", "xml-attr", "markdown", "json"],
  },
  { flags: "--model <name>", summary: "choose the format for this model" },
  { flags: "--task <text>", summary: "prefer skills that fit this task when the budget is short" },
  { flags: "--budget <tokens>", summary: "use at most this many tokens" },
  { flags: "--pin <id>", summary: "list this skill first; repeatable", repeats: true },
  { flags: "--instructions", summary: "also print the skills and instructions of the agent's manifest" },
  { flags: "--locations", summary: "include the paths of skills, for an agent that reads files itself" },
  ...readingOptions,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [],
  options: optionSpecs,
  examples: ["catalog", 'catalog --model claude --task "fill in a form" --budget 500'],
  run,
});

/** Prints the skill catalogue of an agent's prompt. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  const budget = countOption(options, "budget", limitTable.catalogueTokens);
  const limits = withLimits(budget === undefined ? {} : { catalogueTokens: budget });
  return await withLibrary<ExitCode>(input, async (opened) => {
    const hasInstructions = options["instructions"] === true;
    // The catalogue discloses no instructions, so only the whole prompt is recorded.
    const sink = hasInstructions ? opened.audit : undefined;
    const session = await openSession(opened.library, opened.viewer, systemPorts(sink), {
      pins: listOption(options, "pin"),
      hasFileSystem: options["locations"] === true,
      limits,
      ...present({ manifest: opened.manifest }),
    });
    const catalogue = await session.catalogue(
      present({
        // The command table allows only the names of formats here.
        format: options["format"] as CatalogueFormat | undefined,
        model: textOption(options, "model"),
        task: textOption(options, "task"),
      }),
    );
    const { isComplete: _, ...data } = catalogue;
    const { instructions } = session;
    await session.close();
    const whole = hasInstructions ? { ...data, instructions } : data;
    if (io.json) printData(io, whole);
    else {
      printCatalogue(io, catalogue);
      if (hasInstructions && instructions !== "") io.out(`\n${forReader(io, instructions)}\n`);
    }
    return 0;
  });
}

function printCatalogue(io: Io, { text, format, tokens, inline, leftOut, shortened }: Catalogue): void {
  if (text === "") {
    io.err("This viewer sees no skills, so the catalogue is empty.\n");
    io.err("Run `skillhold explain` to see why, or `skillhold list` to see where it looked.\n");
    return;
  }
  io.out(`${forReader(io, text)}\n`);
  io.err(`about ${count(tokens, "token")} as ${format}: ${count(inline.length, "skill")} inline\n`);
  if (leftOut.length > 0) io.err(`found by search only: ${names(leftOut)}\n`);
  if (shortened.length > 0) io.err(`shortened descriptions: ${names(shortened)}\n`);
  if (leftOut.length > 0)
    io.err("Keep a skill in the list with --pin <id>, or with `pins` in the agent manifest.\n");
  else if (shortened.length > 0) io.err("Raise the budget with --budget <tokens>.\n");
}

const MOST_NAMES = 20;

function names(ids: readonly string[]): string {
  const more = ids.length - MOST_NAMES;
  return `${ids.slice(0, MOST_NAMES).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
