import { z } from "zod";
import { reasonOf } from "./endpoint.ts";
import { type ChatMessage, type Model, type ModelAnswer, ModelFailure, type ModelTurn } from "./model.ts";
import { parseInput } from "./openai-model.ts";

/** An AI SDK language model object, of provider specification v2 or later. The `ai` package itself is not needed. */
export interface AiSdkLanguageModel {
  readonly modelId: string;
  doGenerate(options: AiSdkCall): PromiseLike<unknown>;
}

/** All fields are optional, so that the parameter types of every provider version fit. */
export interface AiSdkCall {
  readonly prompt?: unknown;
  readonly tools?: unknown;
  readonly maxOutputTokens?: number | undefined;
  readonly abortSignal?: AbortSignal | undefined;
}

/** A model for the runner from an AI SDK model object, such as `openai("…")` or `anthropic("…")`. */
export function aiSdkModel(model: AiSdkLanguageModel): Model {
  return {
    name: model.modelId,
    complete: async (turn, signal) => {
      let result: unknown;
      try {
        result = await model.doGenerate(callOf(turn, signal));
      } catch (error) {
        signal.throwIfAborted();
        throw new ModelFailure(`${model.modelId} failed: ${reasonOf(error)}`);
      }
      return readAnswer(result);
    },
  };
}

function callOf({ system, messages, tools, maxTokens }: ModelTurn, abortSignal: AbortSignal): AiSdkCall {
  const prompt = [{ role: "system", content: system }, ...messages.map(writeMessage)];
  const list = tools.map((tool) => ({ type: "function", ...tool }));
  return { prompt, maxOutputTokens: maxTokens, abortSignal, ...(list.length === 0 ? {} : { tools: list }) };
}

function writeMessage(message: ChatMessage): unknown {
  switch (message.role) {
    case "user":
      return { role: "user", content: [{ type: "text", text: message.text }] };
    case "assistant": {
      const text = message.text === "" ? [] : [{ type: "text", text: message.text }];
      const calls = message.calls.map(({ id, name, input }) => ({
        type: "tool-call",
        toolCallId: id,
        toolName: name,
        input,
      }));
      return { role: "assistant", content: [...text, ...calls] };
    }
    case "tool":
      return {
        role: "tool",
        content: message.results.map(({ id, name, text, isError }) => ({
          type: "tool-result",
          toolCallId: id,
          toolName: name,
          output: { type: isError ? "error-text" : "text", value: text },
        })),
      };
  }
}

const count = z
  .union([z.number(), z.object({ total: z.number().nullish() }).transform(({ total }) => total ?? 0)])
  .nullish();

const resultSchema = z.object({
  content: z.array(
    z.union([
      z.object({ type: z.literal("text"), text: z.string() }),
      z.object({
        type: z.literal("tool-call"),
        toolCallId: z.string(),
        toolName: z.string(),
        input: z.unknown(),
      }),
      z.object({ type: z.string() }).transform(() => ({ type: "other" as const })),
    ]),
  ),
  usage: z.object({ inputTokens: count, outputTokens: count }).nullish(),
});

function readAnswer(value: unknown): ModelAnswer {
  const parsed = resultSchema.safeParse(value);
  if (!parsed.success) throw new ModelFailure("The AI SDK model's result has no content.");
  const { content, usage } = parsed.data;
  return {
    text: content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(""),
    calls: content.flatMap((part) =>
      part.type === "tool-call"
        ? [
            {
              id: part.toolCallId,
              name: part.toolName,
              input: typeof part.input === "string" ? parseInput(part.input) : part.input,
            },
          ]
        : [],
    ),
    usage: { input: usage?.inputTokens ?? 0, output: usage?.outputTokens ?? 0, cached: 0 },
  };
}
