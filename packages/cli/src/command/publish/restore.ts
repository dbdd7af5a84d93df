import { restoreSkill } from "@skillhold/registry/release";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { dryRunOption, idArgument, registryWriteOptions } from "../../shared-option.ts";
import { withRegistry } from "../../store.ts";
import { type ExitCode, printData } from "../../terminal/output.ts";

const optionSpecs = [dryRunOption, ...registryWriteOptions] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [idArgument],
  options: optionSpecs,
  examples: ["restore old-skill"],
  run,
});

/** Restores a deleted skill. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  const [id = ""] = input.args;
  const isDryRun = options["dryRun"] === true;
  return await withRegistry<ExitCode>(input, "change", async ({ context, actor }) => {
    const done = await restoreSkill(id, { by: actor }, context);
    if (io.json) printData(io, { ...done, isDryRun });
    else if (done.status === "unchanged") io.out(`${done.id}: not deleted\n`);
    else {
      const verb = isDryRun ? "would be restored" : "restored";
      io.out(`${done.id}: ${verb}, ${done.state} and ${done.visibility}\n`);
    }
    return 0;
  });
}
