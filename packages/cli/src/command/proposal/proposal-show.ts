import { neutralText } from "@skillhold/core/text";
import { missingReviewers, permissionsOf } from "@skillhold/registry/proposal";
import { currentGeneration, type Proposal, type ProposalEvidence } from "@skillhold/registry/record";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { withRegistry } from "../../store.ts";
import { type ExitCode, type Io, plain, printData } from "../../terminal/output.ts";
import { paintFor } from "../../terminal/text.ts";
import { findProposal, proposalArgument, proposalOptions } from "./proposal-choice.ts";

const optionSpecs = [...proposalOptions] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [proposalArgument],
  options: optionSpecs,
  examples: ["proposal show 3f2a"],
  run,
});

/** Shows a proposal with its evidence, findings and reviews. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io } = input;
  const [start = ""] = input.args;
  return await withRegistry<ExitCode>(input, "read", async ({ context, actor, flags }) => {
    const proposal = await findProposal(start, actor, context);
    const { candidate } = currentGeneration(proposal);
    const guard = await context.store.findGuardReport(candidate);
    const may = await permissionsOf(proposal, actor, context);
    const missing = missingReviewers(proposal, context.reviewers ?? []);
    if (io.json)
      printData(io, { ...proposal, findings: guard?.findings ?? [], missingReviewers: missing, may });
    else {
      await printProposal(io, proposal, guard?.findings ?? []);
      const next = may.apply ? "apply" : may.approve ? "approve" : may.rebase ? "rebase" : undefined;
      const advice = next === undefined ? "" : ` or \`skillhold proposal ${next} ${start}${flags}\``;
      io.err(`Run \`skillhold proposal diff ${start}${flags}\`${advice}.\n`);
    }
    return 0;
  });
}

interface Found {
  readonly severity: string;
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

async function printProposal(io: Io, proposal: Proposal, findings: readonly Found[]): Promise<void> {
  const paint = await paintFor(io.color);
  const { id, kind, skill, state, author, createdAt, folder, justification, evidence, reviews } = proposal;
  const { widened } = currentGeneration(proposal);
  const line = (name: string, value: string) =>
    io.out(`${paint.dim(`${name}:`)} ${neutralText(value, 500)}\n`);
  io.out(`${paint.bold(`${kind === "create" ? "New skill" : "Change of"} ${skill}`)} ${paint.dim(id)}\n`);
  line("state", state);
  line("author", author.agent === undefined ? author.user : `${author.agent} (${author.user})`);
  line("made", createdAt);
  if (folder !== undefined) line("folder", folder);
  line("added capabilities", widened === undefined ? "unknown" : widened.join(", ") || "none");
  io.out(`\n${plain(justification)}\n`);
  for (const each of findings) line(each.severity, `${each.file}:${each.line}: ${each.message}`);
  if (evidence.length > 0) io.out(`\n${paint.bold("Evidence")}\n`);
  for (const each of evidence) io.out(`${evidenceText(each)}\n`);
  if (reviews.length > 0) io.out(`\n${paint.bold("Reviews")}\n`);
  for (const { by, decision, comment = "", at } of reviews)
    io.out(`${at} ${neutralText(by.agent ?? by.user)} ${decision} ${neutralText(comment, 2000)}\n`);
}

function evidenceText(evidence: ProposalEvidence): string {
  if (evidence.kind !== "run") return `${evidence.kind}: ${plain(evidence.value)}`;
  const { script, exitCode, outcome, stdout, stderr } = evidence;
  const output = [stdout, stderr].filter((text) => text !== "").map(plain);
  return [`run of ${neutralText(script)}: ${outcome}, exit code ${exitCode}`, ...output].join("\n");
}
