/**
 * The prefix of a skill's tool names. `mcp__` is for MCP servers, so a skill named `mcp` gets `mcp-__`: no id ends
 * with a hyphen or contains an underscore.
 */
export function ownerPrefix(skill: string): string {
  return skill.toLowerCase() === "mcp" ? `${skill}-__` : `${skill}__`;
}
