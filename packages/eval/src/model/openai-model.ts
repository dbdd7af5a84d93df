import { z } from "zod";
import { type EndpointOptions, type EndpointPorts, postJson } from "./endpoint.ts";
import { type ChatMessage, type Model, type ModelAnswer, ModelFailure, type ModelTurn } from "./model.ts";

/** A model behind any endpoint that speaks OpenAI chat completions. */
export function openAiModel({ baseUrl, model, apiKey }: EndpointOptions, ports: EndpointPorts): Model {
  const url = `${baseUrl.replace(/\/+$/, "")}/chat/completions`;
  const headers: Readonly<Record<string, string>> =
    apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  return {
    name: model,
    complete: async (turn, signal) =>
      readAnswer(await postJson(url, headers, requestOf(model, turn), signal, ports)),
  };
}

function requestOf(model: string, { system, messages, tools, maxTokens }: ModelTurn) {
  return {
    model,
    max_completion_tokens: maxTokens,
    messages: [{ role: "system", content: system }, ...messages.flatMap(writeMessage)],
    ...(tools.length === 0 ? {} : { tools: tools.map(writeTool) }),
  };
}

function writeTool({ name, description, inputSchema }: ModelTurn["tools"][number]) {
  return { type: "function", function: { name, description, parameters: inputSchema } };
}

function writeMessage(message: ChatMessage): readonly unknown[] {
  switch (message.role) {
    case "user":
      return [{ role: "user", content: message.text }];
    case "assistant":
      return [
        {
          role: "assistant",
          content: message.text === "" ? null : message.text,
          ...(message.calls.length === 0
            ? {}
            : {
                tool_calls: message.calls.map(({ id, name, input }) => ({
                  id,
                  type: "function",
                  function: { name, arguments: JSON.stringify(input) },
                })),
              }),
        },
      ];
    case "tool":
      return message.results.map(({ id, text }) => ({ role: "tool", tool_call_id: id, content: text }));
  }
}

const replySchema = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({
          content: z.string().nullish(),
          tool_calls: z
            .array(
              z.object({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) }),
            )
            .nullish(),
        }),
      }),
    )
    .min(1),
  usage: z
    .object({
      prompt_tokens: z.number().nullish(),
      completion_tokens: z.number().nullish(),
      prompt_tokens_details: z.object({ cached_tokens: z.number().nullish() }).nullish(),
    })
    .nullish(),
});

function readAnswer(value: unknown): ModelAnswer {
  const parsed = replySchema.safeParse(value);
  const message = parsed.data?.choices[0]?.message;
  if (message === undefined) throw new ModelFailure("The endpoint's reply has no message.");
  const usage = parsed.data?.usage;
  return {
    text: message.content ?? "",
    calls: (message.tool_calls ?? []).map(({ id, function: { name, arguments: text } }) => ({
      id,
      name,
      input: parseInput(text),
    })),
    usage: {
      input: usage?.prompt_tokens ?? 0,
      output: usage?.completion_tokens ?? 0,
      cached: usage?.prompt_tokens_details?.cached_tokens ?? 0,
    },
  };
}

/** Arguments that are not JSON reach the tool as text, which refuses them with a message for the model. */
export function parseInput(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
