import { listPendingGrants, type PendingView } from "@skillhold/registry/access";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { accessOptions, storeOption } from "../../shared-option.ts";
import { withRegistry } from "../../store.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";

const PAGE = 1000;
const optionSpecs = [...accessOptions, storeOption] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [],
  options: optionSpecs,
  examples: ["consent list"],
  run,
});

/** Lists pending grants that the user requested or may answer. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io } = input;
  return await withRegistry<ExitCode>(input, "read", async ({ context, actor }) => {
    const grants: PendingView[] = [];
    for (;;) {
      const page = await listPendingGrants({ after: grants.at(-1), limit: PAGE }, { by: actor }, context);
      grants.push(...page);
      if (page.length < PAGE) break;
    }
    if (io.json) printData(io, { grants: grants.map(({ skill: _, ...grant }) => grant) });
    else for (const grant of grants) io.out(`${plain(lineOf(grant))}\n`);
    return 0;
  });
}

function lineOf({ id, agent, owner, requestedBy, canManage, pin, mayAnswer }: PendingView): string {
  const how = `${pin === undefined ? "" : `, revision ${pin} only`}${canManage ? ", with manage rights" : ""}`;
  const who = mayAnswer ? "waits for you" : `waits for ${owner}`;
  return `${id}: ${requestedBy} wants to grant it to the agent ${agent}${how}; ${who}`;
}
