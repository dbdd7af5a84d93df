import { type AgentInputItem, type Model, Usage } from "@openai/agents";
import { assistantMessage, functionCall } from "@openai/agents/testing";
import type { ScriptedModel } from "./scripted-model.ts";

/** The scripted model for the OpenAI Agents SDK. */
export function openAiModel(model: ScriptedModel): Model {
  return {
    getResponse: async ({ systemInstructions = "", input }) => {
      const items: readonly AgentInputItem[] =
        typeof input === "string" ? [{ role: "user", content: input }] : input;
      const first = items.find((item) => "role" in item && item.role === "user");
      const turn = items.filter(({ type }) => type === "function_call").length;
      const request = { system: systemInstructions, user: JSON.stringify(first), turn, raw: items };
      const { text = "", calls = [] } = await model.reply(request);
      const output = calls.map(({ name: toolName, input: args = {} }, index) =>
        functionCall(toolName, args, { callId: `call-${turn}-${index}` }),
      );
      return { usage: new Usage(), output: output.length > 0 ? output : [assistantMessage(text)] };
    },
    getStreamedResponse: () => {
      throw new Error("The scripted model does not stream.");
    },
  };
}
