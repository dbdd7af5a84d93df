import { join } from "node:path";
import type { SourceState } from "@skillhold/core/library";
import type { Opened } from "./open.ts";
import { count } from "./terminal/text.ts";

/** A folder that was not searched or not loaded, with the reason. */
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

/** The links among the problems; `--follow-links` follows them. */
export function linksOf(problems: readonly SearchProblem[]): readonly SearchProblem[] {
  return problems.filter(({ reason }) => reason === "link");
}

/** The folders with tools and no SKILL.md among the problems. */
export function toolsOnlyOf(problems: readonly SearchProblem[]): readonly SearchProblem[] {
  return problems.filter(({ reason }) => reason === "tools-only");
}

/** Reasons that stand for more than one folder. */
const BOUNDS: readonly (string | undefined)[] = ["too-deep", "too-many-folders", "more"];

/** Notes how many folders were not searched, with the command that lists them. Empty without problems. */
export function formatProblems(all: readonly SearchProblem[], rootFlags: string): string {
  const tools = toolsOnlyOf(all).length;
  const toolsNote =
    tools === 0
      ? ""
      : `${count(tools, "folder")} with tools only, not named: run \`skillhold doctor${rootFlags}\` to see which\n`;
  const problems = all.filter(({ reason }) => reason !== "tools-only");
  if (problems.length === 0) return toolsNote;
  const isCountExact = !problems.some(({ reason }) => BOUNDS.includes(reason));
  const number = `${isCountExact ? "" : "at least "}${count(problems.length, "folder")}`;
  const were = problems.length === 1 ? "was" : "were";
  const note = `${toolsNote}${number} ${were} not searched: run \`skillhold doctor${rootFlags}\` to see which\n`;
  const links = linksOf(problems).length;
  if (links === 0) return note;
  const [leave, them] = links === 1 ? ["leaves", "it"] : ["leave", "them"];
  return `${note}${count(links, "link")} ${leave} the source: add \`--follow-links\` to follow ${them}\n`;
}

function reasonOf(problem: SourceState["problems"][number]): Pick<SearchProblem, "reason"> {
  return "reason" in problem && typeof problem.reason === "string" ? { reason: problem.reason } : {};
}
