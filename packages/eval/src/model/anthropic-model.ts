import { z } from "zod";
import { type EndpointOptions, type EndpointPorts, postJson } from "./endpoint.ts";
import { type ChatMessage, type Model, type ModelAnswer, ModelFailure, type ModelTurn } from "./model.ts";

const VERSION = "2023-06-01";

/** A model behind an endpoint that speaks Anthropic messages. */
export function anthropicModel({ baseUrl, model, apiKey }: EndpointOptions, ports: EndpointPorts): Model {
  const url = `${baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "")}/v1/messages`;
  const headers = { "anthropic-version": VERSION, ...(apiKey === undefined ? {} : { "x-api-key": apiKey }) };
  return {
    name: model,
    complete: async (turn, signal) =>
      readAnswer(await postJson(url, headers, requestOf(model, turn), signal, ports)),
  };
}

function requestOf(model: string, { system, messages, tools, maxTokens }: ModelTurn) {
  return {
    model,
    max_tokens: maxTokens,
    ...(system === "" ? {} : { system }),
    messages: messages.map(writeMessage),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, inputSchema }) => ({
            name,
            description,
            input_schema: inputSchema,
          })),
        }),
  };
}

function writeMessage(message: ChatMessage): unknown {
  switch (message.role) {
    case "user":
      return { role: "user", content: message.text };
    case "assistant": {
      const text = message.text === "" ? [] : [{ type: "text", text: message.text }];
      const calls = message.calls.map(({ id, name, input }) => ({
        type: "tool_use",
        id,
        name,
        input: asObject(input),
      }));
      return { role: "assistant", content: [...text, ...calls] };
    }
    case "tool":
      return {
        role: "user",
        content: message.results.map(({ id, text, isError }) => ({
          type: "tool_result",
          tool_use_id: id,
          content: text,
          is_error: isError,
        })),
      };
  }
}

/** The API takes objects only. */
function asObject(input: unknown): unknown {
  return typeof input === "object" && input !== null && !Array.isArray(input) ? input : { value: input };
}

const blockSchema = z.union([
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("tool_use"), id: z.string(), name: z.string(), input: z.unknown() }),
  z.object({ type: z.string() }).transform(() => ({ type: "other" as const })),
]);

const replySchema = z.object({
  content: z.array(blockSchema),
  usage: z
    .object({
      input_tokens: z.number().nullish(),
      output_tokens: z.number().nullish(),
      cache_read_input_tokens: z.number().nullish(),
    })
    .nullish(),
});

function readAnswer(value: unknown): ModelAnswer {
  const parsed = replySchema.safeParse(value);
  if (!parsed.success) throw new ModelFailure("The endpoint's reply has no content.");
  const { content, usage } = parsed.data;
  return {
    text: content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join(""),
    calls: content.flatMap((block) =>
      block.type === "tool_use" ? [{ id: block.id, name: block.name, input: block.input ?? {} }] : [],
    ),
    usage: {
      input: usage?.input_tokens ?? 0,
      output: usage?.output_tokens ?? 0,
      cached: usage?.cache_read_input_tokens ?? 0,
    },
  };
}
