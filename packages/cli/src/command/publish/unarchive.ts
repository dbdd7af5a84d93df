import { unarchiveSkill } from "@skillhold/registry/access";
import { type CommandInput, defineCommand, type OptionsOf } from "../../command.ts";
import { accessWriteOptions, idArgument } from "../../shared-option.ts";
import { withRegistry } from "../../store.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";

export const command = defineCommand({
  arguments: [idArgument],
  options: accessWriteOptions,
  examples: ["unarchive pdf"],
  run,
});

/** Returns an archived skill to use. */
async function run(input: CommandInput<OptionsOf<typeof accessWriteOptions>>): Promise<ExitCode> {
  const { io, options } = input;
  const [id = ""] = input.args;
  const isDryRun = options["dryRun"] === true;
  return await withRegistry<ExitCode>(input, "change", async ({ context, actor }) => {
    const { skill, status } = await unarchiveSkill(id, { by: actor }, context);
    if (io.json) printData(io, { skill, status, isDryRun });
    else if (status === "unchanged") io.out(`${skill.id}: not archived\n`);
    else {
      io.out(`${skill.id}: ${isDryRun ? "would be unarchived" : "unarchived"}\n`);
      if (skill.missing.length > 0)
        io.err(`warning: missing dependencies: ${plain(skill.missing.join(", "))}\n`);
    }
    return 0;
  });
}
