import { SkillError } from "@skillhold/protocol/error";

/** Contract: a message from the tool is already neutralized. `refusedHosts` are those of its process so far. */
export function toolFailed(
  tool: string,
  message: string,
  { refusedHosts = [], ...details }: ToolFailureDetails = {},
): SkillError {
  const isRefused = refusedHosts.length > 0;
  return new SkillError("TOOL_FAILED", `The tool ${tool} failed: ${message}`, {
    ...(isRefused ? { hint: refusalHint(refusedHosts) } : {}),
    details: { tool, ...details, ...(isRefused ? { refusedHosts } : {}) },
  });
}

interface ToolFailureDetails {
  readonly code?: string;
  readonly log?: string;
  readonly refusedHosts?: readonly string[];
}

function refusalHint(hosts: readonly string[]): string {
  const lines = hosts.map((host) => `"network.hosts ${host}"`).join(", ");
  return `The sandbox refused ${hosts.join(", ")}: the capability manifest of the skill has no line ${lines}.`;
}

export function toolTimedOut(tool: string, ms: number): SkillError {
  const message = `The tool ${tool} did not answer within ${ms} ms (toolCallMs).`;
  return new SkillError("TIMED_OUT", message, { details: { tool } });
}

export function toolInterrupted(tool: string): SkillError {
  return new SkillError("INTERRUPTED", `The call of the tool ${tool} was canceled.`, { details: { tool } });
}

export function notJson(tool: string, cause: unknown): SkillError {
  const message = `The arguments of the tool ${tool} are not JSON values.`;
  return new SkillError("USAGE", message, {
    hint: "Pass strings, numbers, booleans, null, and arrays and objects of these.",
    details: { tool },
    cause,
  });
}

const MAX_NAMED = 20;

export function toolNotFound(tool: string, tools: readonly { readonly name: string }[]): SkillError {
  const names = tools.slice(0, MAX_NAMED).map(({ name }) => name);
  const more = tools.length > names.length ? `, and ${tools.length - names.length} more` : "";
  return new SkillError("TOOL_NOT_FOUND", `The skill has no tool ${JSON.stringify(tool.slice(0, 128))}.`, {
    hint: names.length === 0 ? "The skill has no tools." : `Available tools: ${names.join(", ")}${more}.`,
    details: { tool },
  });
}

export function hostClosed(): SkillError {
  return new SkillError("INTERRUPTED", "The tools of the skill are closed.");
}
