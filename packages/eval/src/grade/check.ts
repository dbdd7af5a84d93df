import { matchesGlob, posix } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { JSONPathError, type JSONValue, query as queryJson } from "json-p3";
import type { Check } from "../format/assertion.ts";
import type { Trial } from "../trial/trial.ts";
import { matchPattern } from "./pattern.ts";

/** What a check found. */
export interface CheckResult {
  readonly verdict: "pass" | "fail" | "ungraded";
  readonly evidence: string;
}

export interface CheckContext {
  readonly trial: Trial;
  /** The skill under evaluation. */
  readonly skill: string;
}

/** Runs a check over a finished trial; no model is asked. */
export function runCheck(check: Check, { trial, skill }: CheckContext): CheckResult {
  switch (check.type) {
    case "output_contains":
      return verdict(contains(trial.output, check.value), quote(trial.output));
    case "output_not_contains":
      return verdict(!contains(trial.output, check.value), quote(trial.output));
    case "output_matches":
    case "output_not_matches":
      return matchOutput(check, trial.output);
    case "exit_success":
      return verdict(trial.output.trim() !== "", quote(trial.output));
    case "max_turns":
      return verdict(trial.turns <= check.value, `${trial.turns} turns`);
    case "max_tokens": {
      const tokens = trial.usage.input + trial.usage.output;
      return verdict(tokens <= check.value, `${tokens} tokens`);
    }
    case "expect_tool":
    case "reject_tool":
      return checkTool(check, trial);
    case "skill_read":
    case "script_ran":
    case "exit_code":
      return checkSkillUse(check, trial, skill);
    case "json_path":
      return checkJson(check, trial);
    default:
      return checkFile(check, trial);
  }
}

function verdict(isPassed: boolean, evidence: string): CheckResult {
  return { verdict: isPassed ? "pass" : "fail", evidence };
}

function contains(text: string, value: string): boolean {
  return text.toLowerCase().includes(value.toLowerCase());
}

function quote(text: string): string {
  return text === "" ? "The output is empty." : `The output: ${JSON.stringify(text.slice(0, 200))}`;
}

function matchOutput(check: Extract<Check, { readonly pattern: string }>, output: string): CheckResult {
  const found = matchPattern(check.pattern, output);
  if ("problem" in found) return { verdict: "ungraded", evidence: found.problem };
  const isFound = found.match !== undefined;
  const evidence = isFound
    ? `Matched ${JSON.stringify(found.match.slice(0, 200))}`
    : "No match in the output.";
  return verdict(isFound === (check.type === "output_matches"), evidence);
}

/** Clients name tools differently: `bash` is `Bash` or `command_execution` elsewhere. */
function checkTool(
  { type, tool }: Extract<Check, { readonly tool: string }>,
  { events }: Trial,
): CheckResult {
  const used = [...new Set(events.map((event) => event.tool))];
  const isUsed = used.some((name) => name.toLowerCase() === tool.toLowerCase() || name.endsWith(`__${tool}`));
  return verdict(isUsed === (type === "expect_tool"), `Tools used: ${used.join(", ") || "none"}`);
}

function checkSkillUse(
  check: Extract<Check, { readonly type: "skill_read" | "script_ran" | "exit_code" }>,
  { events }: Trial,
  target: string,
): CheckResult {
  const reads = events.flatMap(({ skillRead }) => skillRead ?? []);
  const runs = events.flatMap(({ scriptRun }) => (scriptRun === undefined ? [] : [scriptRun]));
  const ran = `Scripts run: ${runs.map(({ script, exitCode }) => `${script} (${exitCode ?? "?"})`).join(", ") || "none"}`;
  if (check.type === "skill_read") {
    const isRead = reads.includes(check.skill ?? target);
    return verdict(isRead === check.value, `Skills read: ${reads.join(", ") || "none"}`);
  }
  if (check.type === "exit_code")
    return verdict(runs.length > 0 && runs.every(({ exitCode }) => exitCode === check.value), ran);
  const wanted = check.script === undefined ? undefined : posix.basename(check.script);
  return verdict(
    runs.some(({ script }) => wanted === undefined || posix.basename(script) === wanted),
    ran,
  );
}

type FileCheck = Extract<
  Check,
  { readonly type: "file_exists" | "file_not_exists" | "file_contains" | "file_not_contains" }
>;

function checkFile(check: FileCheck, { work }: Trial): CheckResult {
  const files = work.list().map(({ path }) => path);
  const found = findFiles(check.path, files);
  const listed =
    found.length > 0
      ? `Found ${found.slice(0, 10).join(", ")}`
      : `Files: ${files.slice(0, 20).join(", ") || "none"}`;
  if (!("value" in check)) return verdict(found.length > 0 === (check.type === "file_exists"), listed);
  const has = found.filter((path) => new TextDecoder().decode(work.read(path)).includes(check.value));
  return verdict(
    has.length > 0 === (check.type === "file_contains"),
    has.length > 0 ? `In ${has[0]}` : listed,
  );
}

/** A pattern without a slash is for names in any folder. */
function findFiles(pattern: string, files: readonly string[]): readonly string[] {
  const clean = pattern.replace(/^\.\//, "");
  return files.filter((path) => matchesGlob(clean.includes("/") ? path : posix.basename(path), clean));
}

function checkJson(
  check: Extract<Check, { readonly type: "json_path" }>,
  { work, output }: Trial,
): CheckResult {
  const path =
    check.path === undefined
      ? undefined
      : findFiles(
          check.path,
          work.list().map((file) => file.path),
        )[0];
  if (check.path !== undefined && path === undefined)
    return verdict(false, `There is no file ${check.path}.`);
  try {
    const text = path === undefined ? output : new TextDecoder().decode(work.read(path));
    const document: JSONValue = JSON.parse(text);
    const values = queryJson(check.query, document).values();
    const evidence = `${check.query} gives ${JSON.stringify(values).slice(0, 200)}`;
    if (!Object.hasOwn(check, "equals")) return verdict(values.length > 0, evidence);
    return verdict(
      values.some((value) => isDeepStrictEqual(value, check.equals)),
      evidence,
    );
  } catch (error) {
    if (error instanceof JSONPathError)
      return { verdict: "ungraded", evidence: `The query is invalid: ${error.message}` };
    return verdict(false, `${path ?? "The output"} is not JSON.`);
  }
}
