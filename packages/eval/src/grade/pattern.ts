import { createContext, Script } from "node:vm";

const LONGEST_PATTERN = 4096;
const LONGEST_TEXT = 1024 * 1024;
const TIMEOUT_MS = 1000;

const script = new Script("new RegExp(source, flags).exec(text)?.[0]");

export type PatternMatch = { readonly match: string | undefined } | { readonly problem: string };

/**
 * Matches a pattern of an eval file, ignoring case as their authors expect. A pattern that is invalid or backtracks
 * for too long is a problem, never a hang. A leading `(?i)` of other dialects is accepted.
 */
export function matchPattern(pattern: string, text: string): PatternMatch {
  if (pattern.length > LONGEST_PATTERN)
    return { problem: `The pattern is longer than ${LONGEST_PATTERN} characters.` };
  const [, letters = "", source = pattern] = /^\(\?([ims]+)\)(.*)$/s.exec(pattern) ?? [];
  const flags = [...new Set(`i${letters}`)].join("");
  const context = createContext({ source, flags, text: text.slice(0, LONGEST_TEXT) });
  try {
    const match: unknown = script.runInContext(context, { timeout: TIMEOUT_MS });
    return { match: typeof match === "string" ? match : undefined };
  } catch (error) {
    // An error of the context is not of this realm's Error class.
    return { problem: `The pattern cannot be used: ${String(Reflect.get(Object(error), "message"))}` };
  }
}
