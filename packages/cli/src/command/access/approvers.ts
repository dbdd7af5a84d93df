import { SkillError } from "@skillhold/protocol/error";
import { listApprovers, setApprovers } from "@skillhold/registry/access";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { listOption } from "../../option.ts";
import { grantWriteOptions, idArgument } from "../../shared-option.ts";
import { withRegistry } from "../../store.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";
import { asGranter } from "./grantee-option.ts";

const optionSpecs = [
  { flags: "--user <name>", summary: "name this user as an approver; repeatable", repeats: true },
  { flags: "--reset", summary: "let the owner and the managers of the skill answer again" },
  ...grantWriteOptions,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [idArgument],
  options: optionSpecs,
  examples: [
    "approvers pdf",
    "approvers pdf --user ann --user bob --role admin",
    "approvers pdf --reset --role admin",
  ],
  run,
});

/** Shows or names the users who answer approval questions of a skill at a gateway. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  const [id = ""] = input.args;
  const users = listOption(options, "user");
  const isReset = options["reset"] === true;
  if (isReset && users.length > 0)
    throw new SkillError("USAGE", "--user and --reset exclude each other.", {
      hint: "Use --reset alone to return to the owner and the managers.",
    });
  const isChange = isReset || users.length > 0;
  const isDryRun = options["dryRun"] === true;
  return await withRegistry<ExitCode>(asGranter(input), isChange ? "change" : "read", async (opened) => {
    const { context, actor: by } = opened;
    const done = isChange
      ? await setApprovers(id, users, { by }, context)
      : await listApprovers(id, { by }, context);
    if (io.json) printData(io, { ...done, isDryRun });
    else
      io.out(
        `${done.id}: ${isDryRun && isChange ? "would be " : ""}answered by ${namesOf(done.approvers)}\n`,
      );
    return 0;
  });
}

function namesOf(approvers: readonly string[]): string {
  return approvers.length === 0
    ? "its owner, its managers and administrators"
    : `${approvers.map((name) => plain(name)).join(", ")} and administrators`;
}
