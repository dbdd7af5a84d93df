import type { CatalogueFormat } from "@skillhold/core/catalogue";
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
    const session = await openSession(opened.library, opened.viewer, systemPorts(), {
      pins: listOption(options, "pin"),
      hasFileSystem: options["locations"] === true,
      limits,
    });
    const { text, format, tokens, inline, deferred } = await session.catalogue(
      present({
        // The command table allows only the names of formats here.
        format: options["format"] as CatalogueFormat | undefined,
        model: textOption(options, "model"),
        task: textOption(options, "task"),
      }),
    );
    if (io.json) printData(io, { text, format, tokens, inline, deferred });
    else printCatalogue(io, text, { format, tokens, inline: inline.length, deferred });
    return 0;
  });
}

interface Counts {
  readonly format: string;
  readonly tokens: number;
  readonly inline: number;
  readonly deferred: number;
}

function printCatalogue(io: Io, text: string, { format, tokens, inline, deferred }: Counts): void {
  if (text === "") {
    io.err("This viewer sees no skills, so the catalogue is empty.\n");
    io.err("Run `skillhold explain` to see why, or `skillhold list` to see where it looked.\n");
    return;
  }
  io.out(`${forReader(io, text)}\n`);
  const rest = deferred === 0 ? "" : `, ${deferred} found by search only`;
  io.err(`about ${count(tokens, "token")} as ${format}: ${count(inline, "skill")} inline${rest}\n`);
}
