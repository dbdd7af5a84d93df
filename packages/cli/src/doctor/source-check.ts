import type { SourceState } from "@skillhold/core/library";
import { shortPath } from "@skillhold/host/place";
import { type McpLayer, showServer } from "@skillhold/host/source";
import { SkillError } from "@skillhold/protocol/error";
import type { Opened } from "../open.ts";
import type { Io } from "../terminal/output.ts";
import { count } from "../terminal/text.ts";
import { type Check, failed, ok, warn } from "./check.ts";

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

/** Whether the registry can be reached, and what is in it. */
export function checkStore(store: Opened["store"] | SkillError, flags: string): Check {
  const name = "store";
  if (store === undefined)
    return ok(name, "No store of published skills is looked at; `skillhold publish` makes one.");
  if (store instanceof SkillError) return failed(name, store.message, store.hint);
  const skills = count(store.library.layer.shelf.view().entries.length, "skill");
  return ok(name, `${skills} in ${store.address}; \`skillhold fsck${flags}\` verifies every byte.`);
}

/** The MCP servers among the sources: whether each answers, and what of it cannot be used. */
export async function checkServers(layers: readonly McpLayer[]): Promise<readonly Check[]> {
  if (layers.length === 0) return [];
  // Loaded here because most machines have no MCP servers.
  const { refusalOf } = await import("@skillhold/mcp/host");
  return layers.map(({ settings, library }) => {
    const { source, problem, skills, refused } = library.state();
    const name = `source ${source}`;
    const test = `\`skillhold source test ${settings.label}\``;
    if (problem !== undefined)
      return warn(
        name,
        `${problem.message} (${showServer(settings)})`,
        `${problem.hint} ${test} tries it again.`,
        [refusalOf(problem) ?? problem.code],
      );
    const message = `${count(skills, "skill")} from ${showServer(settings)} (trust third_party)`;
    if (refused.length === 0) return ok(name, `${message}; ${test} checks every file.`);
    const details = refused.map(
      ({ path, diagnostics: [first] }) => `${path}: ${first?.code} ${first?.message}`,
    );
    const fix = `Tell whoever runs the server; ${test} says what to do about each.`;
    return warn(name, `${message}; ${count(refused.length, "skill")} refused.`, fix, details);
  });
}
