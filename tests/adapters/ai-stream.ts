import type { Turn } from "./scripted-model.ts";

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** A reply as the stream parts of the AI SDK's model interface. */
export function streamOf({ text = "", calls = [] }: Turn, turn: number) {
  const unified = calls.length > 0 ? ("tool-calls" as const) : ("stop" as const);
  const parts = calls.map(({ name: toolName, input }, index) => ({
    type: "tool-call" as const,
    toolCallId: `call-${turn}-${index}`,
    toolName,
    input: JSON.stringify(input),
  }));
  return ReadableStream.from([
    { type: "stream-start" as const, warnings: [] },
    { type: "text-start" as const, id: "t" },
    { type: "text-delta" as const, id: "t", delta: text },
    { type: "text-end" as const, id: "t" },
    ...parts,
    { type: "finish" as const, usage, finishReason: { unified, raw: undefined } },
  ]);
}
