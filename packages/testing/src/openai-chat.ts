import { asList, asRecord, asText, type RequestMessage, textOfContent } from "./model-request.ts";
import type { StreamEvent, Wire, WireCall, WireReply } from "./wire.ts";

/** OpenAI chat completions, as most other vendors speak it too. */
export const openAiChat: Wire = {
  api: "openai-chat",
  matches: (path) => path.endsWith("/chat/completions"),
  read: (body) => {
    const messages = asList(body["messages"]).map(asRecord);
    const isSystem = ({ role }: Readonly<Record<string, unknown>>) =>
      role === "system" || role === "developer";
    return {
      model: asText(body["model"]),
      system: messages
        .filter(isSystem)
        .map(({ content }) => textOfContent(content))
        .join("\n"),
      messages: messages.filter((message) => !isSystem(message)).map(readMessage),
      tools: asList(body["tools"]).map((tool) => ({
        name: asText(asRecord(asRecord(tool)["function"])["name"]),
      })),
      isStreaming: body["stream"] === true,
    };
  },
  reply: (reply) => ({
    id: reply.id,
    object: "chat.completion",
    created: 0,
    model: reply.model,
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: reply.text === "" && reply.calls.length > 0 ? null : reply.text,
          ...(reply.calls.length === 0 ? {} : { tool_calls: reply.calls.map(toolCall) }),
        },
        finish_reason: finishReason(reply),
      },
    ],
    usage: usageOf(reply),
  }),
  stream,
  error: (status, message) => ({
    error: { message, type: status === 429 ? "rate_limit_error" : "server_error", code: null },
  }),
};

function readMessage({ role, content }: Readonly<Record<string, unknown>>): RequestMessage {
  const known = role === "assistant" || role === "tool" ? role : "user";
  return { role: known, text: textOfContent(content) };
}

function toolCall({ id, name, input }: WireCall) {
  return { id, type: "function", function: { name, arguments: JSON.stringify(input) } };
}

function finishReason({ calls }: WireReply): string {
  return calls.length > 0 ? "tool_calls" : "stop";
}

function usageOf({ usage: { input, output } }: WireReply) {
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}

function stream(reply: WireReply): readonly StreamEvent[] {
  const chunk = (delta: unknown, finish: string | null = null) => ({
    data: {
      id: reply.id,
      object: "chat.completion.chunk",
      created: 0,
      model: reply.model,
      choices: [{ index: 0, delta, finish_reason: finish }],
    },
  });
  const usage = {
    data: {
      id: reply.id,
      object: "chat.completion.chunk",
      created: 0,
      model: reply.model,
      choices: [],
      usage: usageOf(reply),
    },
  };
  return [
    chunk({ role: "assistant", content: "" }),
    ...reply.pieces.map((content) => chunk({ content })),
    ...reply.calls.map((call, index) => chunk({ tool_calls: [{ index, ...toolCall(call) }] })),
    chunk({}, finishReason(reply)),
    usage,
    { data: "[DONE]" },
  ];
}
