import {
  type AgentTool,
  answerTool,
  type DeclaredToolList,
  succeedTool,
  type ToolResult,
} from "@skillhold/core/session";
import { neutralText } from "@skillhold/core/text";
import { SkillError } from "@skillhold/protocol/error";
import { z } from "zod";

/** What it takes to load the tools of a skill. */
interface ToolLoader {
  loadTools(id: string, signal?: AbortSignal): Promise<DeclaredToolList>;
}

export const LOADING_TOOL = "load_skill_tools";

/**
 * The tool that makes the tools of a skill callable. To list them the skill's modules are run, which no client expects
 * of a mere list, and for which nobody could be asked then.
 */
export function loadingTool(loader: ToolLoader): AgentTool {
  const schema = z.strictObject({
    skill_id: z.string().min(1).max(128).describe("The exact id of the skill, as the catalogue gives it."),
  });
  return {
    name: LOADING_TOOL,
    description:
      "Load the tools that a skill declares (its files below tools/), so that they can be called. It may need someone's approval.",
    get inputSchema() {
      return z.toJSONSchema(schema, { io: "input" });
    },
    run: (input, options) =>
      answerTool(async () => {
        const parsed = schema.safeParse(input ?? {});
        if (!parsed.success) throw badInput();
        const { skill_id: id } = parsed.data;
        return listing(id, await loader.loadTools(id, options?.signal));
      }),
  };
}

function listing(skill: string, { tools, problems }: DeclaredToolList): ToolResult {
  const listed = tools.map(({ name, description }) => ({ name, description }));
  const faults = problems.map(({ file, message }) => ({ ...(file === undefined ? {} : { file }), message }));
  const text = [
    listed.length === 0 ? `The skill ${skill} has no tools that can be called.` : "These can be called now:",
    ...listed.map(({ name, description }) => `- ${name}: ${description}`),
    ...faults.map(({ message }) => `Warning: ${neutralText(message, 500)}`),
  ].join("\n");
  return succeedTool(text, { skill, tools: listed, problems: faults });
}

function badInput(): SkillError {
  return new SkillError("USAGE", `Bad input for ${LOADING_TOOL}.`, {
    hint: "The input is an object with skill_id.",
  });
}
