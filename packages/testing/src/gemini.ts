import { asList, asRecord, asText, type RequestMessage, textOfContent } from "./model-request.ts";
import type { StreamEvent, Wire, WireReply } from "./wire.ts";

const PATH = /\/models\/([^/:]+):(generateContent|streamGenerateContent)$/;

/** Google Gemini `generateContent` and `streamGenerateContent`. */
export const gemini: Wire = {
  api: "gemini",
  matches: (path) => PATH.test(path),
  read: (body, path) => {
    const [, model = "", method] = PATH.exec(path) ?? [];
    const system = asRecord(body["systemInstruction"] ?? body["system_instruction"]);
    return {
      model,
      system: textOfContent(system["parts"]),
      messages: asList(body["contents"]).map(asRecord).map(readContent),
      tools: asList(body["tools"])
        .flatMap((tool) => asList(asRecord(tool)["functionDeclarations"]))
        .map((declaration) => ({ name: asText(asRecord(declaration)["name"]) })),
      isStreaming: method === "streamGenerateContent",
    };
  },
  reply: (reply) => chunk(reply, [...textParts(reply, reply.text), ...callParts(reply)], true),
  stream,
  error: (status, message) => ({
    error: { code: status, message, status: status === 429 ? "RESOURCE_EXHAUSTED" : "INTERNAL" },
  }),
};

function readContent({ role, parts }: Readonly<Record<string, unknown>>): RequestMessage {
  const records = asList(parts).map(asRecord);
  const results = records.flatMap(({ functionResponse }) =>
    functionResponse === undefined ? [] : [functionResponse],
  );
  if (results.length > 0) return { role: "tool", text: JSON.stringify(results) };
  return { role: role === "model" ? "assistant" : "user", text: textOfContent(parts) };
}

function textParts({ calls }: WireReply, text: string) {
  return text === "" && calls.length > 0 ? [] : [{ text }];
}

function callParts({ calls }: WireReply) {
  return calls.map(({ id, name, input }) => ({ functionCall: { id, name, args: input } }));
}

function chunk({ model, usage: { input, output } }: WireReply, parts: readonly unknown[], isLast: boolean) {
  return {
    candidates: [
      { content: { role: "model", parts }, index: 0, ...(isLast ? { finishReason: "STOP" } : {}) },
    ],
    usageMetadata: { promptTokenCount: input, candidatesTokenCount: output, totalTokenCount: input + output },
    modelVersion: model,
  };
}

function stream(reply: WireReply): readonly StreamEvent[] {
  const texts = textParts(reply, reply.text).length === 0 ? [] : reply.pieces;
  return [
    ...texts.map((text) => ({ data: chunk(reply, [{ text }], false) })),
    { data: chunk(reply, callParts(reply), true) },
  ];
}
