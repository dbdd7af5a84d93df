import {
  type AllowedTools,
  type Argv,
  defaultAliases,
  familyOf,
  parseAllowedTools,
  type ToolAliases,
  type ToolPattern,
} from "@skillhold/skill";
import { neutralText } from "../text/neutral.ts";
import { type AskedCommand, type CallMatch, matchCall } from "./match-call.ts";
import { ownerPrefix } from "./owner-prefix.ts";

/** A tool call of an agent. */
export interface ToolCall {
  readonly tool: string;
  readonly input: unknown;
  /** The skill that declares the tool. For `run_skill_script`, the skill in the input. */
  readonly owner?: string;
}

/** An active skill and its allowed tools. Without `allowedTools`, there is no restriction. */
export interface ActiveGrant {
  readonly skill: string;
  readonly allowedTools?: readonly string[];
  /** Its folder, absolute, for path patterns. */
  readonly folder?: string;
}

export interface GuardOptions {
  /**
   * `enforce`: only declared tools are allowed. `preapprove`: declared tools need no approval, as in the
   * specification.
   */
  readonly mode?: "enforce" | "preapprove";
  readonly aliases?: ToolAliases;
  /** Tools that skills cannot restrict. */
  readonly exempt?: readonly string[];
  /** The working folder of the host's tools, absolute. */
  readonly workingFolder?: string;
}

export type ToolVerdict =
  /** With `argv`: only this command is allowed, without a shell. */
  | { readonly verdict: "allowed"; readonly argv?: Argv }
  | BlockedCall
  | AskedCall
  | { readonly verdict: "preapproved"; readonly skill: string; readonly argv?: Argv }
  | { readonly verdict: "default" };

export interface BlockedCall {
  readonly verdict: "blocked";
  readonly tool: string;
  /** The first active skill that does not allow the call. */
  readonly skill: string;
  /** The allowed tools of that skill, as written. */
  readonly allows: readonly string[];
  readonly message: string;
  readonly hint: string;
}

/**
 * A skill names the program of a command with a prefix that is no limit, such as `Bash(git:*)`: the command needs a
 * person. Contract: only `argv` may run, without a shell.
 */
export interface AskedCall extends Omit<BlockedCall, "verdict">, AskedCommand {
  readonly verdict: "ask";
}

/** The skill tools for reading and activation, with all their names; running is not among them. */
export const exemptTools: readonly string[] = [
  ..."list_skills search_skills read_skill read_skill_resource deactivate_skill publish_skill".split(" "),
  "load_skill_tools",
  ..."skill_search skills.list skills.search skills.read skills.read_resource skills.deactivate".split(" "),
];

/**
 * Whether a call is allowed while these skills are active. When enforced, every skill with `allowed-tools` must allow
 * it. A skill always allows its own scripts and declared tools; the other active skills must allow them too: by
 * `run_skill_script` or `call_skill_tool`, by the tool's name, by `Skill` or `Skill(id)`, or by a bare `Bash`, which allows every program
 * anyway.
 */
export function guardToolCall(
  asked: ToolCall,
  active: readonly ActiveGrant[],
  options: GuardOptions = {},
): ToolVerdict {
  const { mode = "enforce", exempt = exemptTools } = options;
  const call = withFullName(asked);
  if (mode === "preapprove") return preapprove(call, active, options);
  if (exempt.includes(call.tool)) return { verdict: "allowed" };
  let argv: Argv | undefined;
  let open: AskedCall | undefined;
  for (const grant of active) {
    if (grant.allowedTools === undefined) continue;
    const match = matchGrant(call, grant, options);
    if (match.isMatch) {
      argv ??= match.argv;
      continue;
    }
    const blocked = block(call, grant, grant.allowedTools, match.reason);
    if (match.asked === undefined) return blocked;
    open ??= { ...blocked, ...match.asked, verdict: "ask" };
  }
  if (open !== undefined) return open;
  return { verdict: "allowed", ...(argv === undefined ? {} : { argv }) };
}

/** A declared tool may be named `Read` or `read_skill`, so it is checked as `<owner>__<tool>`, which is unique. */
function withFullName(call: ToolCall): ToolCall {
  const { tool, owner } = call;
  if (owner === undefined) return call;
  const prefix = ownerPrefix(owner);
  return tool.startsWith(prefix) ? call : { ...call, tool: `${prefix}${tool}` };
}

function preapprove(call: ToolCall, active: readonly ActiveGrant[], options: GuardOptions): ToolVerdict {
  // The policy, not a skill, permits running skill code.
  if (ownerOf(call) !== undefined) return { verdict: "default" };
  for (const grant of active) {
    if (grant.allowedTools === undefined) continue;
    const match = matchGrant(call, grant, options);
    if (!match.isMatch) continue;
    const argv = match.argv === undefined ? {} : { argv: match.argv };
    return { verdict: "preapproved", skill: grant.skill, ...argv };
  }
  return { verdict: "default" };
}

function matchGrant(call: ToolCall, grant: ActiveGrant, options: GuardOptions): CallMatch {
  const owner = ownerOf(call);
  if (owner === grant.skill) return { isMatch: true };
  const { aliases = defaultAliases, workingFolder } = options;
  const { patterns, problems } = parseAllowedTools(grant.allowedTools ?? [], aliases);
  const places = { folder: grant.folder, workingFolder };
  const reasons = new Set<string>();
  let limited: CallMatch | undefined;
  let asked: AskedCommand | undefined;
  for (const pattern of patterns) {
    const isUse = owner !== undefined && isUseOf(pattern, call, owner, aliases);
    const match = isUse ? MATCH : matchCall(call, pattern, aliases, places);
    if (match.isMatch && match.argv === undefined) return match;
    if (match.isMatch) limited ??= match;
    else if (match.reason !== undefined) reasons.add(match.reason);
    if (!match.isMatch) asked ??= match.asked;
  }
  if (limited !== undefined) return limited;
  for (const each of aboutProblems(call, problems)) reasons.add(each);
  const reason = [...reasons].slice(0, 3).join("; ");
  return { isMatch: false, reason, ...(asked === undefined ? {} : { asked }) };
}

const MATCH: CallMatch = { isMatch: true };

/** The skill whose code a call runs. The tool name alone is not proof, because other servers may use the same names. */
function ownerOf({ tool, input, owner }: ToolCall): string | undefined {
  if (owner !== undefined || !(isRun(tool) || tool === CALL_TOOL)) return owner;
  const hasSkill = typeof input === "object" && input !== null && "skill_id" in input;
  return hasSkill && typeof input.skill_id === "string" ? input.skill_id : undefined;
}

/** Calls a declared tool of any skill, so it is never exempt. */
const CALL_TOOL = "call_skill_tool";

function isRun(tool: string): boolean {
  return tool === "run_skill_script" || tool === "skills.run_script";
}

/** Whether a pattern allows the skill whose code the call runs. */
function isUseOf(pattern: ToolPattern, { tool }: ToolCall, owner: string, aliases: ToolAliases): boolean {
  switch (pattern.kind) {
    case "tool":
      if (isRun(pattern.tool)) return isRun(tool);
      if (pattern.tool === CALL_TOOL) return !isRun(tool);
      return ["Skill", "Bash"].includes(familyOf(pattern.tool, aliases) ?? "");
    case "word":
      return (
        familyOf(pattern.tool, aliases) === "Skill" &&
        (pattern.isPrefix ? owner.startsWith(pattern.word) : owner === pattern.word)
      );
    default:
      return false;
  }
}

/** Items that were meant for the tool, perhaps, and are not understood. */
function aboutProblems({ tool }: ToolCall, problems: AllowedTools["problems"]): readonly string[] {
  const isAbout = (item: string) => item.toLowerCase().startsWith(tool.toLowerCase().slice(0, 4));
  return problems
    .filter(({ item }) => isAbout(item))
    .map(({ item, problem }) => `${neutralText(item, 80)} grants nothing: ${problem}`);
}

function block(call: ToolCall, grant: ActiveGrant, allows: readonly string[], reason?: string): BlockedCall {
  const skill = neutralText(grant.skill, 128);
  const shown = allows.slice(0, 20).map((item) => neutralText(item, 80));
  const more = allows.length > shown.length ? ` and ${allows.length - shown.length} more` : "";
  const list = shown.length === 0 ? "no tool" : `only ${shown.join(", ")}${more}`;
  const why = reason === undefined || reason === "" ? "" : ` (${neutralText(reason, 400)})`;
  return {
    verdict: "blocked",
    tool: call.tool,
    skill: grant.skill,
    allows,
    message: `The call of ${neutralText(call.tool, 128)} is blocked: the skill ${skill} is in use and allows ${list}${why}.`,
    hint: `Do it with what ${skill} allows, or end its use first (deactivate_skill with skill_id "${skill}").`,
  };
}
