import { type DependencySurvey, surveyDependencies, withLibrarySubject } from "@skillhold/deps/environment";
import { SkillError } from "@skillhold/protocol/error";
import { type CommandInput, defineCommand, type OptionSpec, type OptionsOf } from "../../command.ts";
import { withSurvey } from "../../dependency-survey.ts";
import { getEntry } from "../../get-entry.ts";
import { type Opened, withLibrary } from "../../open.ts";
import { dryRunOption, idArgument, libraryOptions } from "../../shared-option.ts";
import { type ExitCode, type Io, plain, printData } from "../../terminal/output.ts";
import {
  type Installed,
  installFor,
  missingSpecs,
  type SurveyHome,
  storeMissing,
} from "./dependency-install.ts";
import { MISSING } from "./deps-check.ts";

const optionSpecs = [
  { flags: "--yes", summary: "approve the installation without asking" },
  dryRunOption,
  { flags: "--global", summary: "install into the environment that all skills share" },
  {
    flags: "--system",
    summary: "also install system packages as an administrator, instead of printing the command",
  },
  ...libraryOptions,
] as const satisfies readonly OptionSpec[];

export const command = defineCommand({
  arguments: [
    idArgument,
    {
      usage: "[specs...]",
      summary: "install these packages instead: `npm:marked@1.2.3`, `pip:Pillow`, `apt:jq`",
    },
  ],
  options: optionSpecs,
  examples: ["deps install pdf", "deps install pdf npm:marked@15.0.0 --yes", "deps install pdf --dry-run"],
  run,
});

/** Installs the missing or named dependencies of a skill, then checks again. */
async function run(input: CommandInput<OptionsOf<typeof optionSpecs>>): Promise<ExitCode> {
  const { io, options } = input;
  const done = await withLibrary(input, (opened) =>
    withSurvey(input, (ports) => installAndSurvey(input, opened, { ...ports, home: homeOf(ports) })),
  );
  io.signal.throwIfAborted();
  const { id, state } = done.survey;
  if (io.json) printData(io, { skill: id, ...done.report, state });
  else printEnd(io, done, options["dryRun"] === true);
  if (done.report.results.some(({ status }) => status === "failed")) return 1;
  if (options["dryRun"] === true) return 0;
  return state.state === "missing" ? MISSING : 0;
}

interface Done {
  readonly report: Installed;
  /** The survey after the installation. */
  readonly survey: DependencySurvey;
}

async function installAndSurvey(input: CommandInput, opened: Opened, ports: SurveyHome): Promise<Done> {
  const [wanted = "", ...specs] = input.args;
  const { library, viewer } = opened;
  const entry = await getEntry(opened, wanted);
  const { id } = entry;
  const survey = () =>
    withLibrarySubject(library, viewer, id, async (subject) => {
      const [found] = await surveyDependencies([subject], ports);
      if (found === undefined)
        throw new SkillError("INTERNAL", `The dependency check of ${id} returned no result.`);
      return found;
    });
  const before = await survey();
  const requested = specs.length > 0 ? specs : missingSpecs(before, input.io);
  if (requested.length === 0) return { report: { results: [] }, survey: before };
  const report = await installFor(input, opened, { survey: before, specs: requested }, ports);
  if (input.options["dryRun"] === true) return { report, survey: before };
  const after = await survey();
  await storeMissing(input, entry, after, opened);
  return { report, survey: after };
}

function homeOf({ home }: { readonly home?: string }): string {
  if (home !== undefined) return home;
  throw new SkillError("CONFIG_INVALID", "No data folder to install into was found.", {
    hint: "Set HOME or XDG_DATA_HOME to a folder of your own.",
  });
}

const MARKS = { ok: "installed", failed: "failed", manual: "to do", skipped: "skipped" } as const;

function printEnd(io: Io, { report, survey }: Done, isDryRun: boolean): void {
  for (const { spec, status, message } of report.results)
    io.out(
      `${MARKS[status]} ${plain(message === "" || message.startsWith(spec) ? message || spec : `${spec}: ${message}`)}\n`,
    );
  if (report.environment !== undefined) io.err(`Environment: ${plain(report.environment)}\n`);
  if (report.results.length === 0) io.err(`${survey.id} has no missing dependencies.\n`);
  if (isDryRun) io.err("Dry run: no changes were made.\n");
  for (const warning of survey.state.warnings) io.err(`${survey.id}: ${plain(warning)}\n`);
  if (!isDryRun && report.results.length > 0) io.err(`${survey.id}: ${survey.state.state}\n`);
}
