import { createHash } from "node:crypto";
import { ownerPrefix } from "@skillhold/core/policy";

/** The name length that models accept. */
const LENGTH = 64;
const HASH_LENGTH = 10;

/**
 * The name that agents see: `<id>__<tool>`. Ids contain no underscore, so the first one ends the id. A skill
 * named `mcp` gets `mcp-__<tool>`, because `mcp__` is reserved for server tools. Unsupported characters are
 * replaced, and a long name ends with a hash.
 */
export function declaredToolName(id: string, tool: string): string {
  const name = toAccepted(`${ownerPrefix(id)}${tool}`);
  return name.length <= LENGTH ? name : hashedName(id, tool);
}

/** The names of all tools of a skill, in the same order. Tools with colliding names all get a hash. */
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
