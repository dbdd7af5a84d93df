import type { SourceState } from "@skillhold/core/library";
import { shortPath } from "@skillhold/host/place";
import type { Opened } from "../open.ts";
import type { Io } from "../terminal/output.ts";
import { count } from "../terminal/text.ts";
import { type Check, ok, warn } from "./check.ts";

/** The folders that were searched, each with what kept skills in it from being found. */
export function checkSources(
  { inspect, store, mcp }: Pick<Opened, "inspect" | "store" | "mcp">,
  io: Pick<Io, "cwd" | "env">,
): readonly Check[] {
  const { sources } = inspect();
  if (sources.length > 0 || store !== undefined || mcp.length > 0)
    return sources.map((state) => checkSource(state, io));
  return [
    warn(
      "sources",
      "There is no folder with skills, neither here nor in your home folder.",
      "Make .agents/skills and put skills into it, or name a folder with --root.",
    ),
  ];
}

function checkSource({ source, skills, problems }: SourceState, io: Pick<Io, "cwd" | "env">): Check {
  const name = `source ${source.label}`;
  const place = `${shortPath(io, source.root)} (${source.kind}, trust ${source.trust})`;
  const message = `${count(skills, "skill folder")} in ${place}`;
  if (problems.length === 0) return ok(name, `${message}.`);
  const fix = "Use --follow-links for links; name a folder that was left out with --root.";
  const details = problems.map((problem) => `${problem.path}: ${problem.message}`);
  return warn(name, `${message}; ${count(problems.length, "problem")} in searching it.`, fix, details);
}
