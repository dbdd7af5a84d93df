import { type Approval, revokeApproval } from "@skillhold/core/approval";
import { withState } from "@skillhold/host/store";
import { SkillError } from "@skillhold/protocol/error";
import { ownActor } from "../../actor-option.ts";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { textOption } from "../../option.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";
import { count } from "../../terminal/text.ts";

const optionSpecs = [
  { flags: "--skill <id>", summary: "revoke all approvals of this skill" },
  { flags: "--all", summary: "revoke all approvals" },
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [
    { usage: "[approval]", summary: "the approval's id, as `approval list` prints it, or the start of it" },
  ],
  options: optionSpecs,
  examples: ["approval revoke --skill pdf", "approval revoke --all"],
  run,
});

/** Revokes approvals, so that the next run asks again. */
async function run({ io, args, options }: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const [start] = args;
  const skill = textOption(options, "skill");
  const isAll = options["all"] === true;
  if ([start !== undefined, skill !== undefined, isAll].filter(Boolean).length !== 1)
    throw new SkillError("USAGE", "Exactly one of an approval id, --skill and --all is required.");
  const by = ownActor(io);
  return await withState<ExitCode>(io, async (state) => {
    const current = await state.approvals.list(state.clock.now());
    const chosen =
      start === undefined
        ? current.filter((each) => isAll || each.skill === skill)
        : [findOne(current, start)];
    if (chosen.length > 0) await state.audit.ready();
    const revoked: Approval[] = [];
    for (const approval of chosen) if (await revokeApproval(approval, { by }, state)) revoked.push(approval);
    if (io.json) printData(io, { revoked });
    else {
      for (const { skill: id, act, target } of revoked) io.out(`${id} ${act} ${plain(target)}\n`);
      io.err(`${count(revoked.length, "approval")} revoked\n`);
    }
    return 0;
  });
}

function findOne(current: readonly Approval[], start: string): Approval {
  const matches = start === "" ? [] : current.filter(({ id }) => id.startsWith(start));
  const found = matches.length === 1 ? matches[0] : matches.find(({ id }) => id === start);
  if (found !== undefined) return found;
  if (matches.length > 1)
    throw new SkillError("USAGE", `${count(matches.length, "approval")} have ids that start with ${start}.`, {
      hint: "Use more characters of the id.",
    });
  throw new SkillError("PATH_NOT_FOUND", `The approval ${start} does not exist.`, {
    hint: "Run `skillhold approval list` to see the approvals in effect.",
  });
}
