import type { McpSkills } from "@skillhold/mcp/server";
import { SkillError } from "@skillhold/protocol/error";
import { didYouMean, suggest } from "@skillhold/skill/suggest";

type OfferedTool = NonNullable<McpSkills["off"]>[number];

const TOOLS: readonly OfferedTool[] = [
  "list_skills",
  "search_skills",
  "read_skill",
  "read_skill_resource",
  "run_skill_script",
  "deactivate_skill",
  "publish_skill",
  "load_skill_tools",
  "call_skill_tool",
];

/** Reads a value of `--off`. */
export function readOfferedTool(text: string): OfferedTool {
  const found = TOOLS.find((name) => name === text);
  if (found !== undefined) return found;
  throw new SkillError("USAGE", `${text} is not a tool.`, {
    hint: didYouMean(suggest(text, TOOLS)) ?? `The tools are ${TOOLS.join(", ")}.`,
  });
}
