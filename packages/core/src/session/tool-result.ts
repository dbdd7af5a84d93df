import { type ErrorCode, SkillError } from "@skillhold/protocol";
import { neutralText } from "../catalogue/index.ts";
import { disarmTags } from "./wrap.ts";

/** The result of a tool: `text` for the model, `data` or `error` for programs. */
export type ToolResult<T = unknown> =
  | { readonly ok: true; readonly text: string; readonly data: T }
  | { readonly ok: false; readonly text: string; readonly error: ToolError };

export interface ToolError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string;
  /** For programs, never for a model or a remote client: with APPROVAL_REQUIRED, the `request` and its `key`. */
  readonly details?: Readonly<Record<string, unknown>>;
}

export function succeedTool<T>(text: string, data: T): ToolResult<T> {
  return { ok: true, text, data };
}

/** The message may quote model input, so it is neutralized. */
export function failTool(error: SkillError): ToolResult<never> {
  const { code, hint, details } = error;
  const message = disarmTags(neutralText(error.message, 500));
  const more = Object.keys(details).length === 0 ? {} : { details };
  return { ok: false, text: `${message} ${hint}`, error: { code, message, hint, ...more } };
}

/** Turns a `SkillError` into a result for the model. Any other error is a bug and is thrown. */
export async function answerTool<T>(work: () => Promise<ToolResult<T>>): Promise<ToolResult<T>> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SkillError) return failTool(error);
    throw error;
  }
}
