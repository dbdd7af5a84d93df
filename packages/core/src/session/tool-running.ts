import { basename } from "node:path";
import type { ScriptOptions, ScriptRun } from "../run/index.ts";
import type { Session } from "./session.ts";
import { succeed, type ToolResult } from "./tool-result.ts";
import { wrap } from "./wrap.ts";

export interface ScriptInput {
  readonly skill_id: string;
  readonly script: string;
  readonly args?: readonly string[] | undefined;
  readonly stdin?: string | undefined;
}

export async function runSkillScript(
  session: Session,
  { skill_id, script, args = [], stdin }: ScriptInput,
  { signal, onOutput }: Pick<ScriptOptions, "signal" | "onOutput"> = {},
): Promise<ToolResult<ScriptRun>> {
  // The instructions may name a script by the address that stands in for the skill's folder.
  const base = `skill://${skill_id}/`;
  const path = script.startsWith(base) ? script.slice(base.length) : script;
  const run = await session.run(skill_id, path, {
    args,
    ...(stdin === undefined ? {} : { stdin }),
    ...(signal === undefined ? {} : { signal }),
    ...(onOutput === undefined ? {} : { onOutput }),
  });
  return succeed(runText(run, session.limits.toolTextLength), run);
}

/** What the model reads: how it ended, what was printed, and which files there are now. */
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

/** The name alone, of a folder that is named for the run: where it lies is the host's matter. */
function keptText(outputs: string | undefined): string {
  if (outputs === undefined) return "The files were not kept: this session has no place for them.";
  return `The files were kept in the folder ${basename(outputs)} of the session's outputs.`;
}

const LISTED = 50;

/** The names are the script's choice: they are text like any other that it prints. */
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
      return `The script was stopped ${after}: its time was over.`;
    case "limit_exceeded":
      return `The script was stopped ${after}: it passed its limit of ${exceeded ?? "what a run may use"}.`;
    case "aborted":
      return `The script was called off ${after}.`;
    case "failed":
      return `The script was given up ${after}.`;
  }
}

/** The beginning says what was done and the end how it went; what lies between is in the data. */
export function cutMiddle(text: string, length: number): string {
  if (text.length <= length) return text;
  const half = Math.floor(length / 2);
  const [head, tail] = [text.slice(0, half), text.slice(text.length - half)];
  return `${head.toWellFormed()}\n[… ${text.length - 2 * half} characters left out …]\n${tail.toWellFormed()}`;
}
