/**
 * What the names of a skill's tools begin with. `mcp__` is for the tools of MCP servers, so that a skill named `mcp`
 * gets `mcp-__`: no id ends with a hyphen, and none has an underscore.
 */
export function ownerPrefix(skill: string): string {
  return skill.toLowerCase() === "mcp" ? `${skill}-__` : `${skill}__`;
}
