import {
  asList,
  asRecord,
  asText,
  type RequestMessage,
  type RequestTool,
  textOfContent,
} from "./model-request.ts";
import type { StreamEvent, Wire, WireCall, WireReply } from "./wire.ts";

/** OpenAI responses. */
export const openAiResponses: Wire = {
  api: "openai-responses",
  matches: (path) => path.endsWith("/responses"),
  read: (body) => {
    const input =
      typeof body["input"] === "string" ? [{ role: "user", content: body["input"] }] : asList(body["input"]);
    const items = input.map(asRecord);
    const isSystem = ({ role }: Readonly<Record<string, unknown>>) =>
      role === "system" || role === "developer";
    const system = items.filter(isSystem).map(({ content }) => textOfContent(content));
    return {
      model: asText(body["model"]),
      system: [asText(body["instructions"]), ...system].join("\n"),
      messages: items.filter((item) => !isSystem(item)).flatMap(readItem),
      tools: asList(body["tools"]).flatMap(readTool),
      isStreaming: body["stream"] === true,
    };
  },
  reply: (reply) => completed(reply),
  stream,
  error: (_, message) => ({ error: { message, type: "server_error", code: null, param: null } }),
};

function readItem(item: Readonly<Record<string, unknown>>): readonly RequestMessage[] {
  switch (item["type"]) {
    case "function_call":
    case "custom_tool_call":
      return [{ role: "assistant", text: asText(item["name"]) }];
    case "function_call_output":
    case "custom_tool_call_output":
      return [{ role: "tool", text: textOfContent(item["output"]) }];
    case "reasoning":
      return [];
    default:
      return [
        { role: item["role"] === "assistant" ? "assistant" : "user", text: textOfContent(item["content"]) },
      ];
  }
}

function readTool(tool: unknown): readonly RequestTool[] {
  const { type, name, tools } = asRecord(tool);
  if (type !== "namespace") return name === undefined ? [] : [{ name: asText(name) }];
  return asList(tools).map((each) => ({ name: asText(asRecord(each)["name"]), namespace: asText(name) }));
}

function messageItem(id: string, text: string, status = "completed") {
  const content = status === "completed" ? [{ type: "output_text", text, annotations: [] }] : [];
  return { id: `msg_${id}`, type: "message", role: "assistant", status, content };
}

function callItem(call: WireCall, status = "completed") {
  return {
    id: `fc_${call.id}`,
    type: "function_call",
    call_id: call.id,
    name: call.name,
    ...(call.namespace === undefined ? {} : { namespace: call.namespace }),
    arguments: status === "completed" ? JSON.stringify(call.input) : "",
    status,
  };
}

function completed(reply: WireReply, status = "completed") {
  const { input, output } = reply.usage;
  const message = reply.text === "" && reply.calls.length > 0 ? [] : [messageItem(reply.id, reply.text)];
  return {
    id: reply.id,
    object: "response",
    created_at: 0,
    status,
    model: reply.model,
    output: status === "completed" ? [...message, ...reply.calls.map((call) => callItem(call))] : [],
    parallel_tool_calls: true,
    tool_choice: "auto",
    tools: [],
    usage:
      status === "completed"
        ? {
            input_tokens: input,
            input_tokens_details: { cached_tokens: 0 },
            output_tokens: output,
            output_tokens_details: { reasoning_tokens: 0 },
            total_tokens: input + output,
          }
        : null,
  };
}

function stream(reply: WireReply): readonly StreamEvent[] {
  const hasMessage = reply.text !== "" || reply.calls.length === 0;
  const before = hasMessage ? 1 : 0;
  const events = [
    { type: "response.created", response: completed(reply, "in_progress") },
    { type: "response.in_progress", response: completed(reply, "in_progress") },
    ...(hasMessage ? messageEvents(reply) : []),
    ...reply.calls.flatMap((call, index) => callEvents(call, before + index)),
    { type: "response.completed", response: completed(reply) },
  ];
  return events.map((data, index) => ({ event: data.type, data: { ...data, sequence_number: index } }));
}

function messageEvents({ id, text, pieces }: WireReply) {
  const at = { item_id: `msg_${id}`, output_index: 0, content_index: 0 };
  const part = (value: string) => ({ type: "output_text", text: value, annotations: [] });
  return [
    { type: "response.output_item.added", output_index: 0, item: messageItem(id, "", "in_progress") },
    { type: "response.content_part.added", ...at, part: part("") },
    ...pieces.map((delta) => ({ type: "response.output_text.delta", ...at, delta, logprobs: [] })),
    { type: "response.output_text.done", ...at, text, logprobs: [] },
    { type: "response.content_part.done", ...at, part: part(text) },
    { type: "response.output_item.done", output_index: 0, item: messageItem(id, text) },
  ];
}

function callEvents(call: WireCall, index: number) {
  const at = { item_id: `fc_${call.id}`, output_index: index };
  const text = JSON.stringify(call.input);
  return [
    { type: "response.output_item.added", output_index: index, item: callItem(call, "in_progress") },
    { type: "response.function_call_arguments.delta", ...at, delta: text },
    { type: "response.function_call_arguments.done", ...at, name: call.name, arguments: text },
    { type: "response.output_item.done", output_index: index, item: callItem(call) },
  ];
}
