import { MockLanguageModelV4 } from "ai/test";
import { streamOf } from "./ai-stream.ts";
import type { ScriptedModel } from "./scripted-model.ts";

/** The scripted model for the AI SDK. */
export function mockModel(model: ScriptedModel): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    doStream: async ({ prompt }) => {
      const system = prompt.flatMap((each) => (each.role === "system" ? [each.content] : [])).join("\n");
      const user = JSON.stringify(prompt.find(({ role }) => role === "user")?.content);
      const turn = prompt.filter(({ role }) => role === "assistant").length;
      return { stream: streamOf(await model.reply({ system, user, turn, raw: prompt }), turn) };
    },
  });
}
