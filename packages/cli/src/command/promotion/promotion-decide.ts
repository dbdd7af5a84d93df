import { SkillError } from "@skillhold/protocol/error";
import { applyProposal, permissionsOf, reviewProposal } from "@skillhold/registry/proposal";
import type { Proposal, ProposalActor, RegistryContext } from "@skillhold/registry/record";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { withMissingHook } from "../../dependency-survey.ts";
import { textOption } from "../../option.ts";
import type { ExitCode } from "../../terminal/output.ts";
import { changeProposal, proposalOptions } from "../proposal/proposal-choice.ts";
import { findPromotion, promotionArgument } from "./promotion-choice.ts";

const optionSpecs = [
  { flags: "--comment <text>", summary: "say why" },
  ...proposalOptions,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [
    promotionArgument,
    { usage: "<decision>", summary: "approve, which also publishes, or reject" },
  ],
  options: optionSpecs,
  examples: ["promotion decide 3f2a approve", "promotion decide 3f2a reject --comment 'Too narrow.'"],
  run,
});

/** Decides on a promotion. An approval publishes the skill, unless another reviewer is still missing. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const [, decision] = input.args;
  const comment = textOption(input.options, "comment");
  if (decision !== "approve" && decision !== "reject")
    throw new SkillError("USAGE", `The decision is approve or reject, not ${JSON.stringify(decision)}.`);
  return await changeProposal(
    input,
    async (id, by, context) => {
      const found = await findPromotion(id, by, context);
      const reviewed =
        decision === "approve" && found.state === "approved"
          ? found
          : await reviewProposal(id, { by, decision, comment }, context);
      return await withMissingHook(input, context, (hooked) => publish(reviewed, by, hooked));
    },
    ({ state, applied }) => (applied === undefined ? state : `applied as revision ${applied.revision}`),
  );
}

async function publish(proposal: Proposal, by: ProposalActor, context: RegistryContext): Promise<Proposal> {
  const { apply } = await permissionsOf(proposal, by, context);
  return apply ? (await applyProposal(proposal.id, by, context)).proposal : proposal;
}
