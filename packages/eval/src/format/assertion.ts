import { z } from "zod";
import { present } from "../present.ts";

/** Checks that need no model. */
export type Check =
  | { readonly type: "output_contains" | "output_not_contains"; readonly value: string }
  | { readonly type: "output_matches" | "output_not_matches"; readonly pattern: string }
  | { readonly type: "file_exists" | "file_not_exists"; readonly path: string }
  | { readonly type: "file_contains" | "file_not_contains"; readonly path: string; readonly value: string }
  | { readonly type: "exit_success" }
  /** Every script run ended with this code; a trial without a script run fails the check. */
  | { readonly type: "exit_code"; readonly value: number }
  /** A JSON file (or the output) has a value at an RFC 9535 query; with `equals`, that very value. */
  | { readonly type: "json_path"; readonly query: string; readonly path?: string; readonly equals?: unknown }
  | { readonly type: "skill_read"; readonly skill?: string; readonly value: boolean }
  | { readonly type: "script_ran"; readonly script?: string }
  | { readonly type: "expect_tool" | "reject_tool"; readonly tool: string }
  | { readonly type: "max_turns" | "max_tokens"; readonly value: number };

/** What a trial is graded by: a check, or a sentence for the judge. */
export interface Assertion {
  /** For people and reports. */
  readonly text: string;
  readonly check?: Check;
}

const record = z.record(z.string(), z.unknown());

/** Names of check types in other dialects. */
const aliases: Readonly<Record<string, Check["type"]>> = {
  contains_phrase: "output_contains",
  contains: "output_contains",
  not_contains: "output_not_contains",
  not_contains_phrase: "output_not_contains",
  contains_pattern: "output_matches",
  regex: "output_matches",
  not_contains_pattern: "output_not_matches",
};

export interface ReadAssertion {
  readonly assertion?: Assertion;
  readonly problem?: string;
}

/** Reads one assertion of any dialect: a sentence, a sentence in an object, or a typed check. */
export function readAssertion(value: unknown): ReadAssertion {
  if (typeof value === "string") {
    const text = value.trim();
    return text === "" ? { problem: "An assertion is empty." } : { assertion: { text } };
  }
  const parsed = record.safeParse(value);
  if (!parsed.success) return { problem: `An assertion is ${typeof value}, not text or an object.` };
  const fields = parsed.data;
  const type = fields["type"];
  if (typeof type !== "string") return sentence(fields);
  const check = readCheck(aliases[type] ?? type, fields);
  if (check !== undefined) return { assertion: { text: labelOf(fields) ?? describeCheck(check), check } };
  const { assertion } = sentence(fields);
  const problem = `The assertion type ${JSON.stringify(type)} is unknown or lacks a field; the judge reads its text.`;
  return assertion === undefined ? { problem } : { assertion, problem };
}

function sentence(fields: Readonly<Record<string, unknown>>): ReadAssertion {
  const text = labelOf(fields);
  return text === undefined ? { problem: "An assertion has no text." } : { assertion: { text } };
}

function labelOf(fields: Readonly<Record<string, unknown>>): string | undefined {
  return ["text", "description", "assertion", "name"]
    .map((key) => textOf(fields[key]))
    .find((text) => text !== undefined);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

function readCheck(type: string, fields: Readonly<Record<string, unknown>>): Check | undefined {
  const value = textOf(fields["value"] ?? fields["phrase"] ?? fields["text"]);
  const path = textOf(fields["path"]);
  const pattern = textOf(fields["pattern"] ?? fields["value"]);
  switch (type) {
    case "output_contains":
    case "output_not_contains":
      return value === undefined ? undefined : { type, value };
    case "output_matches":
    case "output_not_matches":
      return pattern === undefined ? undefined : { type, pattern };
    case "file_exists":
    case "file_not_exists":
      return path === undefined ? undefined : { type, path };
    case "file_contains":
    case "file_not_contains":
      return path === undefined || value === undefined ? undefined : { type, path, value };
    case "exit_success":
      return { type };
    default:
      return readOwnCheck(type, fields, path);
  }
}

/** The types that Skillhold adds. */
function readOwnCheck(
  type: string,
  fields: Readonly<Record<string, unknown>>,
  path: string | undefined,
): Check | undefined {
  const number = typeof fields["value"] === "number" ? fields["value"] : undefined;
  switch (type) {
    case "exit_code":
      return { type, value: number ?? 0 };
    case "json_path": {
      const query = textOf(fields["query"]);
      const equals = Object.hasOwn(fields, "equals") ? { equals: fields["equals"] } : {};
      return query === undefined
        ? undefined
        : { type, query, ...(path === undefined ? {} : { path }), ...equals };
    }
    case "skill_read":
      return { type, ...present({ skill: textOf(fields["skill"]) }), value: fields["value"] !== false };
    case "script_ran":
      return { type, ...present({ script: textOf(fields["script"]) }) };
    case "expect_tool":
    case "reject_tool": {
      const tool = textOf(fields["tool"]);
      return tool === undefined ? undefined : { type, tool };
    }
    case "max_turns":
    case "max_tokens":
      return number === undefined ? undefined : { type, value: number };
    default:
      return undefined;
  }
}

/** A check in words, for reports. */
export function describeCheck(check: Check): string {
  switch (check.type) {
    case "output_contains":
      return `The output contains ${JSON.stringify(check.value)}`;
    case "output_not_contains":
      return `The output does not contain ${JSON.stringify(check.value)}`;
    case "output_matches":
      return `The output matches /${check.pattern}/`;
    case "output_not_matches":
      return `The output does not match /${check.pattern}/`;
    case "file_exists":
      return `A file ${check.path} exists`;
    case "file_not_exists":
      return `No file ${check.path} exists`;
    case "file_contains":
      return `${check.path} contains ${JSON.stringify(check.value)}`;
    case "file_not_contains":
      return `${check.path} does not contain ${JSON.stringify(check.value)}`;
    case "exit_success":
      return "The agent ends with an answer";
    case "exit_code":
      return `Every script ends with exit code ${check.value}`;
    case "json_path":
      return `${check.path ?? "The output"} has ${check.query}${"equals" in check ? ` = ${JSON.stringify(check.equals)}` : ""}`;
    case "skill_read":
      return `The agent ${check.value ? "reads" : "does not read"} ${check.skill ?? "the skill"}`;
    case "script_ran":
      return `The agent runs ${check.script ?? "a script of the skill"}`;
    case "expect_tool":
      return `The agent uses the tool ${check.tool}`;
    case "reject_tool":
      return `The agent does not use the tool ${check.tool}`;
    case "max_turns":
      return `The agent needs at most ${check.value} turns`;
    case "max_tokens":
      return `The agent needs at most ${check.value} tokens`;
  }
}
