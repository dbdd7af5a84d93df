import { type Promoted, promoteWorkflow } from "@skillhold/registry/promotion";
import { getProposal } from "@skillhold/registry/proposal";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { withMissingHook } from "../../dependency-survey.ts";
import { dryRunOption } from "../../shared-option.ts";
import { withRegistry } from "../../store.ts";
import { type ExitCode, type Io, printData } from "../../terminal/output.ts";
import { count } from "../../terminal/text.ts";
import { mirror } from "../proposal/proposal-choice.ts";
import {
  getOwnAgent,
  packetArgument,
  packetOptions,
  readPacketFile,
  withAuthor,
  withSearch,
} from "./promotion-packet.ts";

const optionSpecs = [dryRunOption, ...packetOptions] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [packetArgument],
  options: optionSpecs,
  examples: ["promotion submit packet.json --agent writer"],
  run,
});

/** Promotes a workflow that an agent repeated. The agent is the author, so that its user may review the proposal. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io } = input;
  const packet = readPacketFile(input);
  return await withRegistry<ExitCode>(input, "change", async (opened) => {
    const agent = await getOwnAgent(input, opened);
    const promoted = await withMissingHook(input, opened.context, (hooked) =>
      withAuthor(input, hooked, (context) =>
        withSearch(agent, input, opened, (search) =>
          promoteWorkflow(packet, { agent: agent.key, search }, context),
        ),
      ),
    );
    if (input.options["dryRun"] !== true) {
      const { proposal } = promoted;
      await mirror(await getProposal(proposal, opened.actor, opened.context), opened.context, io);
    }
    if (io.json) printData(io, promoted);
    else printPromoted(io, promoted, opened.flags);
    return 0;
  });
}

function printPromoted(io: Io, promoted: Promoted, flags: string): void {
  const { proposal, skill, kind, state, draft, repetition } = promoted;
  const short = proposal.slice(0, 8);
  io.out(`${skill}: the proposal ${short} to ${kind} this skill is ${state}\n`);
  io.out(
    `${repetition.verdict}: the log has ${count(repetition.found, "session")} of ${repetition.claimed}\n`,
  );
  if (draft !== undefined) io.out(`${draft}: the agent can use this draft at once\n`);
  io.err(`Run \`skillhold promotion show ${short}${flags}\`.\n`);
}
