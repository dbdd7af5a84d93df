import { type Approval, requesterText } from "@skillhold/core/approval";
import { neutralText } from "@skillhold/core/text";
import { withState } from "@skillhold/host/store";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { type ExitCode, type Io, printData } from "../../terminal/output.ts";
import { formatTable } from "../../terminal/table.ts";
import { count, paintFor } from "../../terminal/text.ts";

const optionSpecs = [] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [],
  options: optionSpecs,
  examples: ["approval list"],
  run,
});

/** Lists approvals of content that have not expired. */
async function run({ io }: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  return await withState<ExitCode>(io, async ({ approvals }) => {
    const current = await approvals.list(new Date());
    if (io.json) printData(io, { approvals: current });
    else await printApprovals(io, current);
    return 0;
  });
}

async function printApprovals(io: Io, current: readonly Approval[]): Promise<void> {
  if (current.length > 0) {
    const paint = await paintFor(io.color);
    const columns = [
      { title: "ID" },
      { title: "UNTIL" },
      { title: "BY", most: 16 },
      { title: "FOR", most: 24 },
      { title: "SKILL", most: 36 },
      { title: "WHAT" },
    ];
    const rows = current.map(({ id, expiresAt, by, requester, widen, skill, act, target, treeHash }) =>
      [
        id,
        expiresAt,
        by,
        widen.includes("everyone") ? "everyone" : requesterText(requester),
        skill,
        `${act} ${target} (${treeHash})`,
      ].map((cell) => neutralText(cell)),
    );
    io.out(
      formatTable(columns, rows, { width: io.isOutTty ? io.columns : undefined, paintTitle: paint.dim }),
    );
  }
  io.err(`${count(current.length, "approval")}\n`);
}
