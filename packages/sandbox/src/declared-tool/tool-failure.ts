import { SkillError } from "@skillhold/protocol/error";

/** Contract: the message is neutral when it comes from the tool. */
export function toolFailed(
  tool: string,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): SkillError {
  return new SkillError("TOOL_FAILED", `The tool ${tool} failed: ${message}`, {
    details: { tool, ...details },
  });
}

export function toolTimedOut(tool: string, ms: number): SkillError {
  const message = `The tool ${tool} did not answer within ${ms} ms (toolCallMs).`;
  return new SkillError("TIMED_OUT", message, { details: { tool } });
}

export function toolInterrupted(tool: string): SkillError {
  return new SkillError("INTERRUPTED", `The call of ${tool} was called off.`, { details: { tool } });
}

export function notJson(tool: string, cause: unknown): SkillError {
  const message = `The arguments of ${tool} cannot be written as JSON.`;
  return new SkillError("USAGE", message, {
    hint: "Pass texts, numbers, booleans, null, and lists and objects of these.",
    details: { tool },
    cause,
  });
}

export function toolNotFound(tool: string): SkillError {
  return new SkillError("TOOL_NOT_FOUND", `The skill has no tool named ${JSON.stringify(tool)}.`, {
    details: { tool },
  });
}

export function hostClosed(): SkillError {
  return new SkillError("INTERRUPTED", "The tools of the skill were closed.");
}
