import { z } from "zod";

export type ModelApi = "openai-chat" | "openai-responses" | "anthropic" | "gemini";

export interface RequestMessage {
  readonly role: "user" | "assistant" | "tool";
  readonly text: string;
}

export interface RequestTool {
  readonly name: string;
  /** The group of the tool, for clients that list tools in namespaces. */
  readonly namespace?: string;
}

/** A request to the fake model, the same for all four APIs. */
export interface ModelRequest {
  readonly api: ModelApi;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly model: string;
  readonly system: string;
  readonly messages: readonly RequestMessage[];
  readonly tools: readonly RequestTool[];
  readonly isStreaming: boolean;
  /** The parsed JSON as it was sent. */
  readonly body: Readonly<Record<string, unknown>>;
}

const record = z.record(z.string(), z.unknown());

export function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  const parsed = record.safeParse(value);
  return parsed.success ? parsed.data : {};
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The text of a message's content: a string, or blocks with `text`. */
export function textOfContent(content: unknown): string {
  if (typeof content === "string") return content;
  return asList(content)
    .map((block) => {
      const { text, content: inner, output } = asRecord(block);
      return asText(text) || textOfContent(inner) || asText(output);
    })
    .filter((text) => text !== "")
    .join("\n");
}

/** The listed tool of this name, or the one whose name ends in `__<name>`. */
export function findTool(tools: readonly RequestTool[], name: string): RequestTool {
  return (
    tools.find((tool) => tool.name === name) ??
    tools.find((tool) => tool.name.endsWith(`__${name}`)) ?? { name }
  );
}
