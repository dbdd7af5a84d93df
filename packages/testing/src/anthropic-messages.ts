import { asList, asRecord, asText, type RequestMessage, textOfContent } from "./model-request.ts";
import type { StreamEvent, Wire, WireCall, WireReply } from "./wire.ts";

/** Anthropic messages. */
export const anthropicMessages: Wire = {
  api: "anthropic",
  matches: (path) => path.endsWith("/messages"),
  read: (body) => ({
    model: asText(body["model"]),
    system: textOfContent(body["system"]),
    messages: asList(body["messages"]).map(asRecord).map(readMessage),
    tools: asList(body["tools"]).map((tool) => ({ name: asText(asRecord(tool)["name"]) })),
    isStreaming: body["stream"] === true,
  }),
  reply: (reply) => ({
    ...head(reply),
    content: [...textBlocks(reply), ...reply.calls.map((call) => toolUse(call, call.input))],
    stop_reason: stopReason(reply),
    usage: { input_tokens: reply.usage.input, output_tokens: reply.usage.output },
  }),
  stream,
  error: (status, message) => ({ type: "error", error: { type: errorType(status), message } }),
};

function readMessage({ role, content }: Readonly<Record<string, unknown>>): RequestMessage {
  if (role === "assistant") return { role, text: textOfContent(content) };
  const isResult = asList(content).some((block) => asRecord(block)["type"] === "tool_result");
  return { role: isResult ? "tool" : "user", text: textOfContent(content) };
}

function head({ id, model }: WireReply) {
  return { id, type: "message", role: "assistant", model, stop_sequence: null };
}

function textBlocks({ text, calls }: WireReply) {
  return text === "" && calls.length > 0 ? [] : [{ type: "text", text }];
}

function toolUse({ id, name }: WireCall, input: unknown) {
  return { type: "tool_use", id, name, input };
}

function stopReason({ calls }: WireReply): string {
  return calls.length > 0 ? "tool_use" : "end_turn";
}

function errorType(status: number): string {
  if (status === 429) return "rate_limit_error";
  if (status === 401) return "authentication_error";
  return status === 529 ? "overloaded_error" : "api_error";
}

function stream(reply: WireReply): readonly StreamEvent[] {
  const texts = textBlocks(reply).length;
  const message = {
    ...head(reply),
    content: [],
    stop_reason: null,
    usage: { input_tokens: reply.usage.input, output_tokens: 1 },
  };
  const events = [
    { type: "message_start", message },
    ...(texts === 0 ? [] : textEvents(reply)),
    ...reply.calls.flatMap((call, index) => callEvents(call, texts + index)),
    {
      type: "message_delta",
      delta: { stop_reason: stopReason(reply), stop_sequence: null },
      usage: { output_tokens: reply.usage.output },
    },
    { type: "message_stop" },
  ];
  return events.map((data) => ({ event: data.type, data }));
}

function textEvents({ pieces }: WireReply) {
  return [
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    ...pieces.map((text) => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } })),
    { type: "content_block_stop", index: 0 },
  ];
}

function callEvents(call: WireCall, index: number) {
  const delta = { type: "input_json_delta", partial_json: JSON.stringify(call.input) };
  return [
    { type: "content_block_start", index, content_block: toolUse(call, {}) },
    { type: "content_block_delta", index, delta },
    { type: "content_block_stop", index },
  ];
}
