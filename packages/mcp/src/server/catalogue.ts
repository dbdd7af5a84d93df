import type { Tool } from "@modelcontextprotocol/server";
import type { McpConnection } from "./connection.ts";

/** Clients cut longer instructions and tool descriptions; the strictest known one cuts at 2,048 characters. */
const MAX_LENGTH = 2000;

/** The instructions before the skills are known, or without the tool that loads them. */
export const GENERAL_INSTRUCTIONS =
  "Before a complex task, check the available skills, which the description of read_skill lists, and load the ones that fit with read_skill(skill_id).";

/**
 * The catalogue of skills, from which a model chooses, then the skills and instructions of the agent's manifest; empty
 * without both.
 */
export async function instructionsFor(connection: McpConnection): Promise<string> {
  const { text } = await catalogueOf(connection);
  return [text, connection.session.instructions].filter((part) => part !== "").join("\n\n");
}

/** The tool that loads a skill lists the skills as well, because many clients do not show instructions to a model. */
export async function withCatalogue(tool: Tool, connection: McpConnection): Promise<Tool> {
  const { description = "" } = tool;
  const { text } = await catalogueOf(connection, description);
  return { ...tool, description: text === "" ? description : text };
}

function catalogueOf({ session, skills }: McpConnection, preamble?: string) {
  const searchTool = skills.off?.includes("search_skills") === true ? "list_skills" : "search_skills";
  return session.catalogue({
    characters: MAX_LENGTH,
    searchTool,
    ...(preamble === undefined ? {} : { preamble }),
  });
}
