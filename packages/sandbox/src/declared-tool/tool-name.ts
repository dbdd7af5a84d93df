import { createHash } from "node:crypto";
import { ownerPrefix } from "@skillhold/core/policy";

/** What models accept as the name of a tool. */
const LENGTH = 64;
const HASH_LENGTH = 10;

/**
 * The name under which a skill's tool is offered: `<id>__<tool>`. An id has no underscore, so that the first one tells
 * where it ends; a skill named `mcp` gets `mcp-__<tool>`, since `mcp__` is for the tools of servers. Characters that
 * models do not accept are replaced; a name that is too long ends with a hash.
 */
export function declaredToolName(id: string, tool: string): string {
  const name = toAccepted(`${ownerPrefix(id)}${tool}`);
  return name.length <= LENGTH ? name : hashedName(id, tool);
}

/** The names of all tools of one skill, in the same order. Tools whose names would be the same all get a hash. */
export function declaredToolNames(id: string, tools: readonly string[]): readonly string[] {
  const names = tools.map((tool) => declaredToolName(id, tool));
  for (;;) {
    const clashing = findClashing(names).filter((at) => names[at] !== hashedName(id, tools[at] ?? ""));
    if (clashing.length === 0) return names;
    for (const at of clashing) names[at] = hashedName(id, tools[at] ?? "");
  }
}

function toAccepted(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/gu, "_");
}

function hashedName(id: string, tool: string): string {
  const hash = createHash("sha256").update(`${id}__${tool}`).digest("hex").slice(0, HASH_LENGTH);
  return `${toAccepted(`${ownerPrefix(id)}${tool}`).slice(0, LENGTH - HASH_LENGTH - 1)}_${hash}`;
}

function findClashing(names: readonly string[]): readonly number[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...names.keys()].filter((at) => (counts.get(names[at] ?? "") ?? 0) > 1);
}
