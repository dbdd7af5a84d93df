import { deleteSkill } from "@skillhold/registry/release";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { dryRunOption, idArgument, registryWriteOptions } from "../../shared-option.ts";
import { withRegistry } from "../../store.ts";
import { type ExitCode, printData } from "../../terminal/output.ts";

const optionSpecs = [dryRunOption, ...registryWriteOptions] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [idArgument],
  options: optionSpecs,
  examples: ["delete old-skill"],
  run,
});

/** Deletes a skill; its revisions stay in the store until they are purged. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  const [id = ""] = input.args;
  const isDryRun = options["dryRun"] === true;
  return await withRegistry<ExitCode>(input, "change", async ({ context, actor, flags }) => {
    const done = await deleteSkill(id, { by: actor }, context);
    if (io.json) printData(io, { ...done, isDryRun });
    else if (done.status === "unchanged") io.out(`${done.id}: already deleted\n`);
    else if (isDryRun) io.out(`${done.id}: would be deleted\n`);
    else {
      io.out(`${done.id}: deleted\n`);
      io.err(`Run \`skillhold restore ${done.id}${flags}\` to undo this.\n`);
    }
    return 0;
  });
}
