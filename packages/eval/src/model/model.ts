import type { Usage } from "./usage.ts";

/** A chat model behind some API. */
export interface Model {
  readonly name: string;
  /** Throws ModelFailure when the model does not answer. */
  complete(request: ModelTurn, signal: AbortSignal): Promise<ModelAnswer>;
}

export interface ModelTurn {
  readonly system: string;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolSpec[];
  readonly maxTokens: number;
}

export type ChatMessage =
  | { readonly role: "user"; readonly text: string }
  | { readonly role: "assistant"; readonly text: string; readonly calls: readonly ToolCall[] }
  | { readonly role: "tool"; readonly results: readonly ToolAnswer[] };

export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export interface ToolAnswer {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly isError: boolean;
}

export interface ModelAnswer {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly usage: Usage;
}

/** The model or its endpoint failed; the trial is an error. */
export class ModelFailure extends Error {
  override readonly name = "ModelFailure";
}
