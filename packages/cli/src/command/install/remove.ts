import type { CommandInput } from "../../command.ts";
import { defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { withInstall } from "../../install/install-session.ts";
import { chooseInstalled } from "../../install/update-option.ts";
import { dryRunOption } from "../../shared-option.ts";
import { type ExitCode, printData } from "../../terminal/output.ts";
import { targetOptions } from "./install-option.ts";

const optionSpecs = [
  { flags: "--force", summary: "remove it even if it was edited" },
  dryRunOption,
  ...targetOptions,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [{ usage: "<id>", summary: "the skill's id" }],
  options: optionSpecs,
  examples: ["remove pdf", "remove pdf --target project --agent claude-code"],
  run,
});

/** Removes an installed skill from its target. A skill of the store can be restored. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options, args } = input;
  const [id = ""] = args;
  const isDryRun = options["dryRun"] === true;
  return await withInstall(input, "change", async (session) => {
    if (session.lock?.read()[id] === undefined) await chooseInstalled([id], session);
    await session.target.remove(id, { isForced: options["force"] === true });
    if (io.json) printData(io, { id, isDryRun });
    else io.out(`${id}: ${isDryRun ? "would be removed" : "removed"}\n`);
    return 0;
  });
}
