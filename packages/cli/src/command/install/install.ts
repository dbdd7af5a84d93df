import { SkillError } from "@skillhold/protocol/error";
import {
  installFrozen,
  planInstall,
  prepareInstall,
  readSource,
  resolveSource,
} from "@skillhold/registry/install";
import type { CommandInput } from "../../command.ts";
import { defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import {
  applyProposal,
  asInstallFailure,
  describeProposal,
  exitOfInstall,
  type InstallResult,
  preparationFailure,
  printResults,
} from "../../install/install-report.ts";
import { type InstallSession, withInstall } from "../../install/install-session.ts";
import { confirm, formatPreview, type Proposal } from "../../install/preview.ts";
import { listOption, textOption } from "../../option.ts";
import { dryRunOption } from "../../shared-option.ts";
import { type ExitCode, type Io, plain, printData } from "../../terminal/output.ts";
import { copyOption, remoteSourceOptions, targetOptions, yesOption } from "./install-option.ts";

const optionSpecs = [
  {
    flags: "--skill <name>",
    summary: "only this skill of the source; may be repeated",
    repeats: true,
  },
  { flags: "--id <id>", summary: "install under this id; for one skill only" },
  { flags: "--replace", summary: "replace a skill of the same id that was not installed from a source" },
  { flags: "--frozen", summary: "install what the lock file records, and fail on any difference" },
  { flags: "--accept-changes", summary: "with --yes, also accept another publisher or signer" },
  yesOption,
  dryRunOption,
  ...targetOptions,
  copyOption,
  ...remoteSourceOptions,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [
    {
      usage: "[sources...]",
      summary: "owner/repo, a URL, a path, clawhub:@owner/slug, npm:name, oci://…; none with --frozen",
    },
  ],
  options: optionSpecs,
  examples: [
    "install anthropics/skills@pdf",
    "install ./my-skill --target project --agent claude-code",
    "install --frozen --target project",
  ],
  run,
});

/** Installs skills: everything is fetched, checked and shown before anyone is asked and anything is changed. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { options, args } = input;
  if (options["frozen"] === true) return await runFrozen(input);
  if (args.length === 0)
    throw new SkillError("USAGE", "A source is missing.", { hint: "Name one, such as owner/repo." });
  return await withInstall(input, "write", (session) => installAll(input, session));
}

async function installAll({ args, options, io }: CommandInput, session: InstallSession): Promise<ExitCode> {
  const isDryRun = options["dryRun"] === true;
  const proposals: Proposal[] = [];
  const results: InstallResult[] = [];
  const notes: string[] = [];
  for (const text of args) {
    const found = await prepareSource(text, { options, io }, session);
    proposals.push(...found.proposals);
    results.push(...found.failures);
    notes.push(...found.notes);
  }
  rejectTwins(proposals);
  const now = session.context.clock.now();
  if (!io.json) for (const proposal of proposals) io.err(formatPreview(proposal, now));
  if (!io.json) for (const note of notes) io.err(`note: ${plain(note)}\n`);
  const pending = proposals.filter(({ plan }) => plan.kind === "apply");
  const consent = { isYes: options["yes"] === true, acceptsChanges: options["acceptChanges"] === true };
  if (!isDryRun && pending.length > 0) await confirm(io, pending, consent);
  for (const proposal of proposals) results.push(await applyProposal(proposal, session, isDryRun));
  if (io.json) printData(io, { skills: results, previews: proposals.map(describeProposal), notes, isDryRun });
  else printResults(io, results, isDryRun);
  return exitOfInstall(results);
}

interface PreparedSource {
  readonly proposals: readonly Proposal[];
  readonly failures: readonly InstallResult[];
  readonly notes: readonly string[];
}

async function prepareSource(
  text: string,
  { options, io }: { readonly options: CommandInput["options"]; readonly io: Io },
  session: InstallSession,
): Promise<PreparedSource> {
  const { context } = session;
  const spec = readSource(text, { githubHost: io.env["GH_HOST"] || undefined });
  if ("url" in spec) session.allowHost(spec.url);
  if (spec.kind === "marketplace" && spec.source.kind === "git") session.allowHost(spec.source.url);
  if (spec.kind === "oci") session.allowHost(`https://${spec.host}`);
  const names = [
    ...listOption(options, "skill"),
    ...("skill" in spec && spec.skill !== undefined ? [spec.skill] : []),
  ];
  const resolved = await resolveSource(spec, context.ports);
  const preparation = await prepareInstall(resolved, { names, id: textOption(options, "id") }, context);
  const id = textOption(options, "id");
  if (id !== undefined && preparation.prepared.length > 1)
    throw new SkillError(
      "USAGE",
      `--id is for one skill, and the source has ${preparation.prepared.length}.`,
      {
        hint: "Choose one with --skill.",
      },
    );
  const proposals: Proposal[] = [];
  const failures: InstallResult[] = preparation.failures.map(preparationFailure);
  for (const prepared of preparation.prepared) {
    try {
      proposals.push({ prepared, plan: await planInstall(prepared, context) });
    } catch (error) {
      failures.push(asInstallFailure(prepared.staged.id, error));
    }
  }
  return { proposals, failures, notes: preparation.notes };
}

function rejectTwins(proposals: readonly Proposal[]): void {
  const ids = proposals.map(({ prepared }) => prepared.staged.id);
  const twin = ids.find((id, at) => ids.indexOf(id) !== at);
  if (twin !== undefined)
    throw new SkillError("CONFLICT", `Two of the skills have the id ${twin}.`, {
      hint: "Choose one with --skill, or install them one after the other with --id.",
    });
}

async function runFrozen(input: CommandInput): Promise<ExitCode> {
  const { io, args } = input;
  return await withInstall(input, "read", async (session) => {
    const { lock, target, context } = session;
    if (lock === undefined || args.length > 0)
      throw new SkillError("USAGE", "--frozen installs from the lock of a folder, and takes no sources.", {
        hint: "Add --target project.",
      });
    const entries = lock.read();
    for (const { skillhold, sourceUrl } of Object.values(entries))
      for (const each of [skillhold?.spec, sourceUrl])
        if (each !== undefined) session.allowHost(each.replace(/^(?:git\+|gateway:|marketplace:git\+)/, ""));
    const skills = await installFrozen(entries, target, context);
    if (io.json) printData(io, { skills });
    else printResults(io, skills, false);
    return 0;
  });
}
