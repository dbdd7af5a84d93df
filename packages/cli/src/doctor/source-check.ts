import type { SourceState } from "@skillhold/core/library";
import { shortPath } from "@skillhold/host/place";
import { type McpLayer, showServer } from "@skillhold/host/source";
import { SkillError } from "@skillhold/protocol/error";
import type { Opened } from "../open.ts";
import type { Io } from "../terminal/output.ts";
import { count } from "../terminal/text.ts";
import { type Check, failed, ok, warn } from "./check.ts";

/** Checks the searched folders and lists the parts that were not searched. */
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
      "No folder with skills was found here or in your home folder.",
      "Create .agents/skills and add skills, or name a folder with --root.",
    ),
  ];
}

function checkSource({ source, skills, problems }: SourceState, io: Pick<Io, "cwd" | "env">): Check {
  const name = `source ${source.label}`;
  const place = `${shortPath(io, source.root)} (${source.kind}, trust ${source.trust})`;
  const message = `${count(skills, "skill folder")} in ${place}`;
  if (problems.length === 0) return ok(name, `${message}.`);
  const isAllTools = problems.every((problem) => "reason" in problem && problem.reason === "tools-only");
  const fix = isAllTools
    ? "Add a SKILL.md that says when and how to use the tools, or publish the folder with --id."
    : "Add --follow-links for links; name a folder that was not searched with --root.";
  const details = problems.map((problem) => `${problem.path}: ${problem.message}`);
  return warn(name, `${message}; ${count(problems.length, "problem")} while searching.`, fix, details);
}

/** Checks whether the store opens, and counts its skills. */
export function checkStore(store: Opened["store"] | SkillError, flags: string): Check {
  const name = "store";
  if (store === undefined) return ok(name, "No store is in use. Run `skillhold publish` to create one.");
  if (store instanceof SkillError) return failed(name, store.message, store.hint);
  const skills = count(store.library.view().entries.length, "skill");
  return ok(name, `${skills} in ${store.address}; run \`skillhold fsck${flags}\` to verify it.`);
}

/** Reports how long the audit log is, and up to where its records of use were pruned. */
export async function checkAuditLog(store: Opened["store"]): Promise<readonly Check[]> {
  if (store === undefined) return [];
  const reader = store.context.store;
  const [entries, pruned] = await Promise.all([reader.lastEvent(), reader.lastPruned()]);
  const state =
    pruned === 0
      ? "never pruned; `skillhold audit prune --older-than 90d --dry-run` counts old records of use"
      : `records of use are pruned up to entry ${pruned}`;
  return [ok("audit log", `${entries} ${entries === 1 ? "entry" : "entries"}; ${state}.`)];
}

/** Checks whether each MCP server answers, and which of its skills cannot be used. */
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
        `${problem.hint} Run ${test} to try again.`,
        [refusalOf(problem) ?? problem.code],
      );
    const message = `${count(skills, "skill")} from ${showServer(settings)} (trust third_party)`;
    if (refused.length === 0) return ok(name, `${message}; run ${test} to check every file.`);
    const details = refused.map(
      ({ path, diagnostics: [first] }) => `${path}: ${first?.code} ${first?.message}`,
    );
    const fix = `Report the problems to the server's operator; run ${test} to see each fix.`;
    return warn(name, `${message}; ${count(refused.length, "skill")} refused.`, fix, details);
  });
}
