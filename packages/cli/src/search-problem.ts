import { join } from "node:path";
import type { SourceState } from "@skillhold/core/library";
import type { Opened } from "./open.ts";
import { count } from "./terminal/text.ts";

/** A folder of a source in which no skills were looked for, and why. */
export interface SearchProblem {
  /** Label of the source. */
  readonly source: string;
  readonly path: string;
  readonly reason?: string;
  readonly message: string;
}

export function listProblems({ inspect }: Pick<Opened, "inspect">): readonly SearchProblem[] {
  return inspect().sources.flatMap(({ source, problems }) =>
    problems.map((problem) => ({
      source: source.label,
      path: join(source.root, problem.path),
      ...reasonOf(problem),
      message: problem.message,
    })),
  );
}

/** The links among the problems: what they lead to is looked into when the user says so. */
export function linksOf(problems: readonly SearchProblem[]): readonly SearchProblem[] {
  return problems.filter(({ reason }) => reason === "link");
}

/** These stand for more folders than the one they name. */
const BOUNDS: readonly (string | undefined)[] = ["too-deep", "too-many-folders", "more"];

/** For people: how many folders were left out, and what shows or finds them. Empty when none was. */
export function formatProblems(problems: readonly SearchProblem[], rootFlags: string): string {
  if (problems.length === 0) return "";
  const isCountExact = !problems.some(({ reason }) => BOUNDS.includes(reason));
  const number = `${isCountExact ? "" : "at least "}${count(problems.length, "folder")}`;
  const were = problems.length === 1 ? "was" : "were";
  const note = `${number} ${were} not looked into: \`skillhold doctor${rootFlags}\` says which\n`;
  const links = linksOf(problems).length;
  if (links === 0) return note;
  const [lead, them] = links === 1 ? ["leads", "it"] : ["lead", "them"];
  return `${note}${count(links, "link")} ${lead} out of the source: \`--follow-links\` follows ${them}\n`;
}

function reasonOf(problem: SourceState["problems"][number]): Pick<SearchProblem, "reason"> {
  return "reason" in problem && typeof problem.reason === "string" ? { reason: problem.reason } : {};
}
