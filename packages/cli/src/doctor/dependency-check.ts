import type { RuntimeReport } from "@skillhold/deps/environment";
import type { SurveyRow } from "../dependency-survey.ts";
import { count } from "../terminal/text.ts";
import { type Check, ok, warn } from "./check.ts";

/** What skills are run and installed with. */
export function checkInterpreters({ runtimes, ready }: RuntimeReport): Check {
  const name = "runtimes";
  const details = runtimes.map(({ name: program, available, version }) =>
    available ? `${program} ${version ?? "is there"}` : `${program} is not there`,
  );
  if (ready) return ok(name, "Skills can be run, and what they need can be installed.", details);
  const missing = runtimes.filter(({ available, required }) => required && !available);
  const names = missing.map(({ name: program }) => program).join(", ");
  return warn(name, `Not there: ${names}.`, `Install ${names}; \`skillhold runtimes\` shows all.`, details);
}

/** Whether skills have what their code needs. */
export function checkSurveys(rows: readonly SurveyRow[], rootFlags: string): Check {
  const name = "dependencies";
  const surveys = rows.flatMap(({ survey }) => (typeof survey === "string" ? [] : [survey]));
  const wanting = surveys.filter(({ state }) => state.state !== "ok");
  if (wanting.length === 0) return ok(name, "Nothing is missing that the code of skills needs.");
  const details = wanting.map(({ id, state }) => `${id}: ${state.warnings.join(" ")}`);
  const isMissing = wanting.some(({ state }) => state.state === "missing");
  const fix = isMissing
    ? `\`skillhold deps install <id>${rootFlags}\` installs what a skill is missing.`
    : `\`skillhold deps check${rootFlags}\` says why it is not known.`;
  return warn(name, `${count(wanting.length, "skill")} may lack something they need.`, fix, details);
}
