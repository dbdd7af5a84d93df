import { formatNeed } from "@skillhold/core/dependency";
import type { DependencySurvey } from "@skillhold/deps/environment";
import { type CommandInput, defineCommand, type OptionsOf } from "../../command.ts";
import { type SurveyRow, surveyAll, withSurvey } from "../../dependency-survey.ts";
import { libraryOptions, skillsArgument } from "../../shared-option.ts";
import { selectSkills } from "../../skill-selection.ts";
import { type ExitCode, type Io, plain, printData } from "../../terminal/output.ts";
import type { Column } from "../../terminal/table.ts";
import { count } from "../../terminal/text.ts";
import { formatNotes, formatPlaces, neededCell, printTable } from "./dependency-report.ts";

/** The exit code when a required dependency is missing. */
export const MISSING = 3;

export const command = defineCommand({
  arguments: [skillsArgument],
  options: libraryOptions,
  examples: ["deps check", "deps check ./skills/pdf --json"],
  run,
});

/** Checks which dependencies of skills are installed. */
async function run(input: CommandInput<OptionsOf<typeof libraryOptions>>): Promise<ExitCode> {
  const { io } = input;
  const { skills, problems } = await selectSkills(input);
  const rows = await withSurvey(input, (ports) => surveyAll(skills, io, ports));
  if (io.json) printData(io, { skills: rows.map(toData), problems });
  else await printCheck(io, rows, problems);
  return rows.some(({ survey }) => isMissing(survey)) ? MISSING : 0;
}

function isMissing(survey: DependencySurvey | string): survey is DependencySurvey {
  return typeof survey !== "string" && survey.state.state === "missing";
}

function toData({ skill: { path, id }, survey }: SurveyRow) {
  if (typeof survey === "string")
    return { path, id, state: null, dependencies: [], environment: null, notes: [noteOf(survey)] };
  const dependencies = survey.manifest.dependencies.map((dependency, at) => {
    const { answer = "unknown", reason } = survey.checks[at] ?? {};
    return { ...dependency, answer, ...(reason === undefined ? {} : { reason }) };
  });
  const environment = survey.environment?.folder ?? null;
  return { path, id, state: survey.state, dependencies, environment, notes: survey.manifest.notes };
}

function noteOf(message: string) {
  return { file: ".", message };
}

const columns: readonly Column[] = [
  { title: "SKILL", most: 30 },
  { title: "ANSWER" },
  { title: "DEPENDENCY", most: 40 },
  { title: "NEEDED" },
  { title: "SEEN" },
];

async function printCheck(io: Io, rows: readonly SurveyRow[], problems: readonly string[]): Promise<void> {
  const cells = rows.flatMap(({ skill, survey }) =>
    typeof survey === "string"
      ? []
      : survey.manifest.dependencies.map((dependency, at) => [
          skill.id,
          survey.checks[at]?.answer ?? "unknown",
          formatNeed(dependency),
          neededCell(dependency),
          formatPlaces(dependency),
        ]),
  );
  await printTable(io, columns, cells);
  for (const { skill, survey } of rows) {
    const notes = typeof survey === "string" ? [noteOf(survey)] : survey.manifest.notes;
    io.err(formatNotes(skill.id, notes));
  }
  for (const problem of problems) io.err(`note: ${plain(problem)}\n`);
  for (const row of rows) io.err(formatState(row));
  io.err(`${summarize(rows)}\n`);
}

/** The warnings of a skill, with the command that installs its missing dependencies. */
function formatState({ skill, survey }: SurveyRow): string {
  if (typeof survey === "string" || survey.state.state === "ok") return "";
  const { id, state, checks } = survey;
  const reasons = new Set(checks.flatMap(({ reason }) => (reason === undefined ? [] : [reason])));
  const lines = [
    ...state.warnings.map((warning) => `${id}: ${warning}`),
    ...[...reasons].map((reason) => `${id}: not checked because ${reason}`),
    ...(isMissing(survey) && state.isUnsupported !== true
      ? [`${id}: run \`skillhold deps install ${id}${skill.rootFlags}\` to install missing dependencies`]
      : []),
  ];
  return lines.map((line) => `${plain(line)}\n`).join("");
}

function summarize(rows: readonly SurveyRow[]): string {
  const states = rows.map(({ survey }) => (typeof survey === "string" ? "unknown" : survey.state.state));
  const parts = (["ok", "missing", "unknown"] as const)
    .map((state) => [states.filter((each) => each === state).length, state] as const)
    .filter(([number]) => number > 0)
    .map(([number, state]) => `${number} ${state}`);
  return [count(rows.length, "skill"), ...parts].join(", ");
}
