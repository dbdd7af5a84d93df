import { isDeepStrictEqual } from "node:util";
import type { Limits } from "@skillhold/protocol/limits";
import { type ParsedSkill, parseSkill, validateSkill } from "@skillhold/skill";
import type { ListedSkill } from "./listed-skill.ts";
import { refuse } from "./refusal.ts";

/**
 * Reads the SKILL.md of a skill and makes sure that it says what its entry said, field by field: people and models
 * have chosen it by that.
 *
 * Contract: the bytes are those whose digest is listed.
 */
export function readSkillFile(bytes: Uint8Array, { uri, said }: ListedSkill, limits: Limits): ParsedSkill {
  const skill = parseSkill(bytes, limits);
  const { valid, diagnostics } = validateSkill(skill, { folder: uri.name }, "mcp", limits);
  if (!valid) {
    const errors = diagnostics.filter(({ severity }) => severity === "error");
    const messages = errors.map(({ message }) => message).join(" ");
    throw refuse("MCP_SKILL_UNREADABLE", `${uri.text} cannot be used: ${messages}`, { uri: uri.text });
  }
  const fields = findDifferences(said, skill);
  if (fields.length === 0) return skill;
  throw refuse("MCP_FRONTMATTER_DIFFERS", `${uri.text} says other than its entry in ${fields.join(", ")}.`, {
    uri: uri.text,
    fields,
  });
}

function findDifferences(said: ParsedSkill, skill: ParsedSkill): readonly string[] {
  const [before, after] = [said.frontmatter, skill.frontmatter];
  const fields = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...fields].filter((field) => !isDeepStrictEqual(before[field], after[field])).sort();
}
