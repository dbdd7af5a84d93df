import { type Approval, revokeApproval } from "@skillhold/core/approval";
import { withState } from "@skillhold/host/store";
import { SkillError } from "@skillhold/protocol/error";
import { ownActor } from "../actor-option.ts";
import { textOption } from "../option.ts";
import { type ExitCode, plain, printData } from "../output.ts";
import type { CommandInput } from "../program.ts";
import { count } from "../text.ts";

/** Takes approvals back: the next run asks again. */
export async function run({ io, args, options }: CommandInput): Promise<ExitCode> {
  const [start] = args;
  const skill = textOption(options, "skill");
  const isAll = options["all"] === true;
  if ([start !== undefined, skill !== undefined, isAll].filter(Boolean).length !== 1)
    throw new SkillError("USAGE", "Name one approval, or give --skill, or --all.");
  const by = ownActor(io);
  return await withState<ExitCode>(io, async (state) => {
    const held = await state.approvals.list(state.clock.now());
    const chosen =
      start === undefined ? held.filter((each) => isAll || each.skill === skill) : [findOne(held, start)];
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

function findOne(held: readonly Approval[], start: string): Approval {
  const matches = start === "" ? [] : held.filter(({ id }) => id.startsWith(start));
  const found = matches.length === 1 ? matches[0] : matches.find(({ id }) => id === start);
  if (found !== undefined) return found;
  if (matches.length > 1)
    throw new SkillError("USAGE", `${count(matches.length, "approval")} start with ${start}.`, {
      hint: "Give more of the id.",
    });
  throw new SkillError("PATH_NOT_FOUND", `There is no approval ${start}.`, {
    hint: "`skillhold approval list` shows those that hold; --skill <id> revokes all of a skill.",
  });
}
