import { SkillError } from "@skillhold/protocol/error";
import { checkUpdate, type Installed, type UpdateCheck } from "@skillhold/registry/install";
import type { CommandInput } from "../../command.ts";
import { defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import {
  applyProposal,
  asInstallFailure,
  describeProposal,
  exitOfInstall,
  type InstallResult,
  printResults,
} from "../../install/install-report.ts";
import { type InstallSession, withInstall } from "../../install/install-session.ts";
import { proposeMerge } from "../../install/merge-proposal.ts";
import { confirm, formatPreview, type Proposal } from "../../install/preview.ts";
import { chooseInstalled, updateOptions } from "../../install/update-option.ts";
import { dryRunOption } from "../../shared-option.ts";
import { type ExitCode, plain, printData } from "../../terminal/output.ts";
import { ageOptions, copyOption, remoteSourceOptions, targetOptions, yesOption } from "./install-option.ts";

const optionSpecs = [
  { flags: "--all", summary: "update every installed skill" },
  { flags: "--accept-changes", summary: "with --yes, also accept another publisher or signer" },
  yesOption,
  dryRunOption,
  ...ageOptions,
  ...targetOptions,
  copyOption,
  ...remoteSourceOptions,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [{ usage: "[ids...]", summary: "the skills to update" }],
  options: optionSpecs,
  examples: ["update pdf", "update --all --dry-run", "update --all --yes --target project"],
  run,
});

/** Updates installed skills: edits are merged, and a conflict leaves the skill as it is. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { args, options } = input;
  if (args.length === 0 && options["all"] !== true)
    throw new SkillError("USAGE", "No skill is named.", { hint: "Name the skills to update, or add --all." });
  return await withInstall(input, "change", (session) => updateAll(input, session));
}

async function updateAll({ args, options, io }: CommandInput, session: InstallSession): Promise<ExitCode> {
  const isDryRun = options["dryRun"] === true;
  const proposals: Proposal[] = [];
  const results: InstallResult[] = [];
  const notes: string[] = [];
  for (const installed of await chooseInstalled(args, session)) {
    const check = await checkOne(installed, { options }, session);
    if ("status" in check) results.push(check);
    else if (check.kind === "outdated") proposals.push(check);
    else notes.push(noteOf(check));
  }
  const now = session.context.clock.now();
  if (!io.json) for (const proposal of proposals) io.err(formatPreview(proposal, now));
  const pending = proposals.filter(({ plan }) => plan.kind === "apply");
  const consent = { isYes: options["yes"] === true, acceptsChanges: options["acceptChanges"] === true };
  if (!isDryRun && pending.length > 0) await confirm(io, pending, consent);
  for (const proposal of proposals) {
    const result = await applyProposal(proposal, session, isDryRun);
    const opened = isDryRun ? undefined : await proposeMerge(proposal, { options, io });
    results.push(
      opened === undefined || result.status !== "failed" ? result : { ...result, proposal: opened },
    );
  }
  if (io.json) printData(io, { skills: results, previews: proposals.map(describeProposal), notes, isDryRun });
  else {
    for (const note of notes) io.err(`${plain(note)}\n`);
    printResults(io, results, isDryRun);
  }
  return exitOfInstall(results);
}

async function checkOne(
  installed: Installed,
  { options }: Pick<CommandInput, "options">,
  session: InstallSession,
): Promise<UpdateCheck | InstallResult> {
  try {
    return await checkUpdate(installed, updateOptions(options), session.context);
  } catch (error) {
    return asInstallFailure(installed.id, error);
  }
}

function noteOf(check: Exclude<UpdateCheck, { readonly kind: "outdated" }>): string {
  if (check.kind === "pinned") return `${check.id}: pinned`;
  if (check.kind === "waiting")
    return `${check.id}: a new version waits until ${check.until}; --now takes it`;
  return `${check.id}: up to date${check.isEdited ? ", with your edits" : ""}`;
}
