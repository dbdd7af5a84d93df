import { type ErrorCode, SkillError } from "@skillhold/protocol";
import { neutralText } from "../catalogue/index.ts";
import { disarmTags } from "./wrap.ts";

/** What a tool gives back: `text` for a model to read, `data` or `error` for a program to use. */
export type ToolResult<T = unknown> =
  | { readonly ok: true; readonly text: string; readonly data: T }
  | { readonly ok: false; readonly text: string; readonly error: ToolError };

export interface ToolError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string;
}

export function succeed<T>(text: string, data: T): ToolResult<T> {
  return { ok: true, text, data };
}

/** A message may quote what the model sent, which can be any text at all. */
export function fail(error: SkillError): ToolResult<never> {
  const { code, hint } = error;
  const message = disarmTags(neutralText(error.message, 500));
  return { ok: false, text: `${message} ${hint}`, error: { code, message, hint } };
}

/** Failures with a code are an answer for the model; a plain Error is a bug, and is thrown. */
export async function answer<T>(work: () => Promise<ToolResult<T>>): Promise<ToolResult<T>> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SkillError) return fail(error);
    throw error;
  }
}
