import { type McpLayer, showServer } from "@skillhold/host/source";
import { refusalOf } from "@skillhold/mcp/host";
import { count } from "../terminal/text.ts";
import { type Check, ok, warn } from "./check.ts";

/** The MCP servers among the sources: whether each answers, and what of it cannot be used. */
export function checkServers(layers: readonly McpLayer[]): readonly Check[] {
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
