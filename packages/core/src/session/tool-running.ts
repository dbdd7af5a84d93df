import { basename } from "node:path";
import type { ScriptOptions, ScriptRun } from "../run/index.ts";
import type { Session } from "./session.ts";
import { succeedTool, type ToolResult } from "./tool-result.ts";
import { wrap } from "./wrap.ts";

export interface RunScriptInput {
  readonly skill_id: string;
  readonly script: string;
  readonly args?: readonly string[] | undefined;
  readonly stdin?: string | undefined;
}

export async function runSkillScript(
  session: Session,
  { skill_id, script, args = [], stdin }: RunScriptInput,
  call: Pick<ScriptOptions, "signal" | "asker" | "approval" | "onOutput"> = {},
): Promise<ToolResult<ScriptRun>> {
  // The instructions may use the skill:// address that stands for the skill's folder.
  const base = `skill://${skill_id}/`;
  const path = script.startsWith(base) ? script.slice(base.length) : script;
  const run = await session.run(skill_id, path, { ...call, args, ...(stdin === undefined ? {} : { stdin }) });
  return succeedTool(runText(run, session.limits.toolTextLength), run);
}

/** The text for the model: the outcome, the output and the files. */
function runText(run: ScriptRun, length: number): string {
  const { skill, script, treeHash: hash, stdout, stderr, files, outputs } = run;
  const attributes = { skill, script, hash };
  return [
    ending(run),
    ...(stdout === "" ? [] : [wrap("skill_output", attributes, cutMiddle(stdout, length))]),
    ...(stderr === "" ? [] : [wrap("skill_errors", attributes, cutMiddle(stderr, length))]),
    ...(files.length === 0 ? [] : [wrap("skill_output", { skill, list: "files" }, fileList(files))]),
    ...(files.length === 0 ? [] : [keptText(outputs)]),
  ].join("\n");
}

/** Names the folder without its path, because the path belongs to the host. */
function keptText(outputs: string | undefined): string {
  if (outputs === undefined) return "The files were discarded because this session has no outputs folder.";
  return `The files were kept in the folder ${basename(outputs)} of the session's outputs.`;
}

const LISTED = 50;

/** The script chooses the names, so they are untrusted text. */
function fileList(files: ScriptRun["files"]): string {
  const lines = files.slice(0, LISTED).map(({ path, size }) => `${path} (${size} bytes)`);
  return [...lines, ...(files.length > LISTED ? [`and ${files.length - LISTED} more`] : [])].join("\n");
}

function ending({ outcome, exceeded, exitCode, durationMs }: ScriptRun): string {
  const after = `after ${Math.round(durationMs)} ms`;
  switch (outcome) {
    case "exited":
      return `The script ended with exit code ${exitCode} ${after}.`;
    case "timed_out":
      return `The script was stopped ${after}: time limit exceeded.`;
    case "limit_exceeded":
      return `The script was stopped ${after}: ${exceeded ?? "resource"} limit exceeded.`;
    case "aborted":
      return `The script was canceled ${after}.`;
    case "failed":
      return `The script failed ${after}.`;
  }
}

/** Keeps the start and the end of a long text; the full text is in the data. */
export function cutMiddle(text: string, length: number): string {
  if (text.length <= length) return text;
  const half = Math.floor(length / 2);
  const [head, tail] = [text.slice(0, half), text.slice(text.length - half)];
  return `${head.toWellFormed()}\n[… ${text.length - 2 * half} characters omitted …]\n${tail.toWellFormed()}`;
}
