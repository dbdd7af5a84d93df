import { type CommandInput, defineCommand, type OptionsOf } from "../../command.ts";
import { answerPending, consentOptions } from "../../consent.ts";
import { idArgument } from "../../shared-option.ts";
import type { ExitCode } from "../../terminal/output.ts";

export const command = defineCommand({
  arguments: [idArgument],
  options: consentOptions,
  examples: ["consent decline pdf --agent writer"],
  run,
});

/** Declines a grant to one of your agents. */
async function run(input: CommandInput<OptionsOf<typeof consentOptions>>): Promise<ExitCode> {
  return await answerPending(input, false);
}
