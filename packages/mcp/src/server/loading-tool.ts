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

/** Loads the tools of a skill. */
interface ToolLoader {
  loadTools(id: string, signal?: AbortSignal): Promise<DeclaredToolList>;
}

export const LOADING_TOOL = "load_skill_tools";

/**
 * The tool that makes the tools of a skill callable. Loading runs the skill's code and may need an approval, which a plain
 * list request cannot ask for.
 */
export function loadingTool(loader: ToolLoader): AgentTool {
  const schema = z.strictObject({
    skill_id: z.string().min(1).max(128).describe("The exact skill id from the catalogue."),
  });
  return {
    name: LOADING_TOOL,
    description:
      "Load the tools that a skill declares in its tools/ folder, so that you can call them. This runs code of the skill and may require approval.",
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
    listed.length === 0 ? `The skill ${skill} has no callable tools.` : "You can call these tools now:",
    ...listed.map(({ name, description }) => `- ${name}: ${description}`),
    ...faults.map(({ message }) => `Warning: ${neutralText(message, 500)}`),
  ].join("\n");
  return succeedTool(text, { skill, tools: listed, problems: faults });
}

function badInput(): SkillError {
  return new SkillError("USAGE", `The input of ${LOADING_TOOL} is invalid.`, {
    hint: "Send an object with skill_id.",
  });
}
