import { SkillError } from "@skillhold/protocol/error";
import { archiveSkill } from "@skillhold/registry/access";
import { textOption } from "../option.ts";
import { type ExitCode, plain, printData } from "../output.ts";
import type { CommandInput } from "../program.ts";
import { withRegistry } from "../store.ts";

/** Takes a skill out of use until a person brings it back or a new revision is published. */
export async function run(input: CommandInput): Promise<ExitCode> {
  const { io, options } = input;
  const [id = ""] = input.args;
  const reason = textOption(options, "reason");
  if (reason === undefined)
    throw new SkillError("USAGE", "There is no reason.", { hint: "Say why with --reason <text>." });
  const isDryRun = options["dryRun"] === true;
  return await withRegistry<ExitCode>(input, "change", async ({ context, actor, flags }) => {
    const { skill, status } = await archiveSkill(id, { by: actor, reason }, context);
    if (io.json) printData(io, { skill, status, isDryRun });
    else if (status === "unchanged") io.out(`${skill.id}: archived already\n`);
    else {
      io.out(`${skill.id}: ${isDryRun ? "would be archived" : "archived"}: ${plain(skill.reason ?? "")}\n`);
      if (!isDryRun) io.err(`\`skillhold unarchive ${skill.id}${flags}\` brings it back.\n`);
    }
    return 0;
  });
}
