import { neutralText } from "@skillhold/core/text";
import { permissionsOf } from "@skillhold/registry/proposal";
import { openStates, type Proposal } from "@skillhold/registry/record";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { withRegistry } from "../../store.ts";
import { type ExitCode, type Io, printData } from "../../terminal/output.ts";
import { formatTable } from "../../terminal/table.ts";
import { count, paintFor } from "../../terminal/text.ts";
import { proposalOptions, visibleProposals } from "../proposal/proposal-choice.ts";

const optionSpecs = [
  { flags: "--all", summary: "also list promotions that were applied, rejected or withdrawn" },
  ...proposalOptions,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [],
  options: optionSpecs,
  examples: ["promotion list"],
  run,
});

/** Lists promoted workflows, with the result of the comparison with the audit log. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  const states = options["all"] === true ? undefined : openStates;
  return await withRegistry<ExitCode>(input, "read", async ({ context, actor, flags }) => {
    const promotions: Proposal[] = [];
    for await (const proposal of visibleProposals({ states }, actor, context))
      if (proposal.origin === "promotion") promotions.push(proposal);
    if (io.json) {
      const views = promotions.map(async (each) => ({
        ...each,
        may: await permissionsOf(each, actor, context),
      }));
      printData(io, { promotions: await Promise.all(views) });
    } else if (promotions.length > 0) await printPromotions(io, promotions, flags);
    else io.err("No promotions.\n");
    return 0;
  });
}

async function printPromotions(io: Io, promotions: readonly Proposal[], flags: string): Promise<void> {
  const paint = await paintFor(io.color);
  const columns = [
    { title: "ID" },
    { title: "SKILL", most: 40 },
    { title: "STATE" },
    { title: "AGENT", most: 24 },
    { title: "REPETITION" },
    { title: "WORKFLOW", most: 50 },
  ];
  const rows = promotions.map(({ id, skill, state, author, repetition }) => {
    const { verdict = "", found = 0, claimed = 0, workflow = "" } = repetition ?? {};
    const cells = [id.slice(0, 8), skill, state, author.agent ?? author.user];
    return [...cells, `${verdict} ${found}/${claimed}`, workflow].map((cell) => neutralText(cell, 200));
  });
  io.out(formatTable(columns, rows, { width: io.isOutTty ? io.columns : undefined, paintTitle: paint.dim }));
  io.err(
    `${count(promotions.length, "promotion")}. Run \`skillhold promotion show <id>${flags}\` to read one.\n`,
  );
}
