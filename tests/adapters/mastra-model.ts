import type { MockLanguageModelV3 } from "ai/test";
import { streamOf } from "./ai-stream.ts";
import type { ScriptedModel } from "./scripted-model.ts";

/** The scripted model for Mastra. */
export function mastraModel(model: ScriptedModel) {
  const doStream = async ({ prompt }: Parameters<MockLanguageModelV3["doStream"]>[0]) => {
    const system = prompt.flatMap((each) => (each.role === "system" ? [each.content] : [])).join("\n");
    const user = JSON.stringify(prompt.find(({ role }) => role === "user")?.content);
    const turn = prompt
      .flatMap(({ role, content }) => (role === "assistant" ? content : []))
      .filter(({ type }) => type === "tool-call").length;
    return { stream: streamOf(await model.reply({ system, user, turn, raw: prompt }), turn) };
  };
  const about = {
    specificationVersion: "v3",
    provider: "test",
    modelId: "scripted",
    supportedUrls: {},
  } as const;
  // Mastra streams both ways.
  return { ...about, doStream, doGenerate: doStream };
}
