import { parseDocument } from "yaml";
import { z } from "zod";
import type { EvalProblem } from "./eval-set.ts";

/** Larger eval files are refused unread. */
export const LARGEST_EVAL_FILE = 8 * 1024 * 1024;
const MOST_ALIASES = 100;

const record = z.record(z.string(), z.unknown());

export type Fields = Readonly<Record<string, unknown>>;

export interface ReadDocument {
  readonly value?: unknown;
  readonly format: "json" | "yaml";
  readonly problem?: EvalProblem;
}

/** Parses JSON, or YAML when the name or the text says so. Never throws. */
export function readDocument(text: string, name = ""): ReadDocument {
  const isYaml = /\.ya?ml$/i.test(name) || (!/\.json$/i.test(name) && !/^\s*[[{]/.test(text));
  const format = isYaml ? "yaml" : "json";
  if (text.length > LARGEST_EVAL_FILE)
    return {
      format,
      problem: { at: "", message: `The file is larger than ${LARGEST_EVAL_FILE} characters.` },
    };
  try {
    if (!isYaml) return { format, value: JSON.parse(text.replace(/^\uFEFF/, "")) };
    const document = parseDocument(text, { schema: "core" });
    const [fault] = document.errors;
    if (fault !== undefined)
      return { format, problem: { at: "", message: `Invalid YAML: ${fault.message}` } };
    return { format, value: document.toJS({ maxAliasCount: MOST_ALIASES }) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { format, problem: { at: "", message: `Invalid ${format.toUpperCase()}: ${reason}` } };
  }
}

export function fieldsOf(value: unknown): Fields | undefined {
  if (Array.isArray(value)) return undefined;
  const parsed = record.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function countOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : undefined;
}
