import { SkillError } from "@skillhold/protocol/error";
import { archiveSkill } from "@skillhold/registry/access";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { textOption } from "../../option.ts";
import { accessWriteOptions, idArgument } from "../../shared-option.ts";
import { withRegistry } from "../../store.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";

const optionSpecs = [
  { flags: "--reason <text>", summary: "say why the skill is archived" },
  ...accessWriteOptions,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [idArgument],
  options: optionSpecs,
  examples: [`archive pdf --reason "Use pdf-tools in its place."`],
  run,
});

/** Archives a skill until it is unarchived or a new revision is published. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  const [id = ""] = input.args;
  const reason = textOption(options, "reason");
  if (reason === undefined)
    throw new SkillError("USAGE", "--reason is required.", { hint: "Add --reason <text>." });
  const isDryRun = options["dryRun"] === true;
  return await withRegistry<ExitCode>(input, "change", async ({ context, actor, flags }) => {
    const { skill, status } = await archiveSkill(id, { by: actor, reason }, context);
    if (io.json) printData(io, { skill, status, isDryRun });
    else if (status === "unchanged") io.out(`${skill.id}: already archived\n`);
    else {
      io.out(`${skill.id}: ${isDryRun ? "would be archived" : "archived"}: ${plain(skill.reason ?? "")}\n`);
      if (!isDryRun) io.err(`Run \`skillhold unarchive ${skill.id}${flags}\` to undo this.\n`);
    }
    return 0;
  });
}
