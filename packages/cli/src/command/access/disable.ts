import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { accessOptions, dryRunOption, idArgument, sourceOptions } from "../../shared-option.ts";
import type { ExitCode } from "../../terminal/output.ts";
import { toggle } from "./toggle.ts";

const optionSpecs = [
  dryRunOption,
  ...accessOptions,
  ...sourceOptions,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [idArgument],
  options: optionSpecs,
  examples: ["disable pdf", "disable pdf --source registry"],
  run,
});

/** Switches a skill off for everyone. */
function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  return toggle(input, false);
}
