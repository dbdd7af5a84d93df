import { rollback } from "@skillhold/registry/release";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { readRevision } from "../../option.ts";
import { dryRunOption, idArgument, registryWriteOptions } from "../../shared-option.ts";
import { withRegistry } from "../../store.ts";
import { type ExitCode, printData } from "../../terminal/output.ts";

const optionSpecs = [dryRunOption, ...registryWriteOptions] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [idArgument, { usage: "<rev>", summary: "the revision, as `versions` lists it" }],
  options: optionSpecs,
  examples: ["rollback pdf 2"],
  run,
});

/** Makes another revision of a skill current. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  const [id = "", wanted = ""] = input.args;
  const revision = readRevision(wanted);
  const isDryRun = options["dryRun"] === true;
  return await withRegistry<ExitCode>(input, "change", async ({ context, actor }) => {
    const done = await rollback(id, revision, { by: actor }, context);
    if (io.json) printData(io, { ...done, isDryRun });
    else if (done.status === "unchanged") io.out(`${done.id}: revision ${revision} is already current\n`);
    else {
      const verb = isDryRun ? "would be current," : "is current now,";
      io.out(`${done.id}: revision ${revision} ${verb} in place of ${done.from}\n`);
    }
    return 0;
  });
}
