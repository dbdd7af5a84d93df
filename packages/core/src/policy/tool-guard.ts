import { neutralText } from "../text/neutral.ts";
import type { Argv } from "./command-line.ts";
import { type CallMatch, matchCall } from "./match-call.ts";
import { ownerPrefix } from "./owner-prefix.ts";
import { defaultAliases, familyOf, type ToolAliases } from "./tool-alias.ts";
import { type AllowedTools, parseAllowedTools, type ToolPattern } from "./tool-pattern.ts";

/** A call that an agent wants to make. */
export interface ToolCall {
  readonly tool: string;
  readonly input: unknown;
  /** The skill that declares the tool. Of `run_skill_script` it is the one that the input names. */
  readonly owner?: string;
}

/** A skill in use and what it allows. One that declares nothing (`allowedTools` is absent) limits nothing. */
export interface ActiveGrant {
  readonly skill: string;
  readonly allowedTools?: readonly string[];
  /** Its folder, absolute, for patterns that speak of it. */
  readonly folder?: string;
}

export interface GuardOptions {
  /** `enforce`: what is declared is all that is allowed. `preapprove`: it need not be asked for, as the standard has it. */
  readonly mode?: "enforce" | "preapprove";
  readonly aliases?: ToolAliases;
  /** Tools that no skill limits. */
  readonly exempt?: readonly string[];
  /** The folder that relative paths of the host's tools belong to, absolute. */
  readonly workingFolder?: string;
}

export type ToolVerdict =
  /** With `argv`: only this, run without a shell, is allowed. */
  | { readonly verdict: "allowed"; readonly argv?: Argv }
  | BlockedCall
  | { readonly verdict: "preapproved"; readonly skill: string; readonly argv?: Argv }
  | { readonly verdict: "default" };

export interface BlockedCall {
  readonly verdict: "blocked";
  readonly tool: string;
  /** The first skill in use that does not allow it. */
  readonly skill: string;
  /** What that skill allows, as written. */
  readonly allows: readonly string[];
  readonly message: string;
  readonly hint: string;
}

/** The skill tools that lead into and out of skills, under all their names. Running is not among them. */
export const exemptTools: readonly string[] = [
  ..."list_skills search_skills read_skill read_skill_resource deactivate_skill publish_skill".split(" "),
  ..."skill_search skills.list skills.search skills.read skills.read_resource skills.deactivate".split(" "),
];

/**
 * Whether a call may be made while these skills are in use. When enforced, every skill that declares `allowed-tools`
 * has to allow it. A skill always allows its own content, its scripts and declared tools, without listing it; the
 * others in use have to allow it too: by `run_skill_script`, by the tool's name, by `Skill` or `Skill(id)`, or by a
 * bare `Bash`, which allows every program anyway.
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
  for (const grant of active) {
    if (grant.allowedTools === undefined) continue;
    const match = matchGrant(call, grant, options);
    if (!match.isMatch) return block(call, grant, grant.allowedTools, match.reason);
    argv ??= match.argv;
  }
  return { verdict: "allowed", ...(argv === undefined ? {} : { argv }) };
}

/** A declared tool may be called `Read` or `read_skill`; it is judged as `<owner>__<tool>`, which nothing else is. */
function withFullName(call: ToolCall): ToolCall {
  const { tool, owner } = call;
  if (owner === undefined) return call;
  const prefix = ownerPrefix(owner);
  return tool.startsWith(prefix) ? call : { ...call, tool: `${prefix}${tool}` };
}

function preapprove(call: ToolCall, active: readonly ActiveGrant[], options: GuardOptions): ToolVerdict {
  // What skills bring along is run by leave of the policy, never by that of a skill.
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
  for (const pattern of patterns) {
    const isUse = owner !== undefined && isUseOf(pattern, call, owner, aliases);
    const match = isUse ? MATCH : matchCall(call, pattern, aliases, places);
    if (match.isMatch && match.argv === undefined) return match;
    if (match.isMatch) limited ??= match;
    else if (match.reason !== undefined) reasons.add(match.reason);
  }
  if (limited !== undefined) return limited;
  for (const each of aboutProblems(call, problems)) reasons.add(each);
  return { isMatch: false, reason: [...reasons].slice(0, 3).join("; ") };
}

const MATCH: CallMatch = { isMatch: true };

/** The skill that a call runs something of. A name alone proves nothing: other servers name their tools alike. */
function ownerOf({ tool, input, owner }: ToolCall): string | undefined {
  if (owner !== undefined || !isRun(tool)) return owner;
  const hasSkill = typeof input === "object" && input !== null && "skill_id" in input;
  return hasSkill && typeof input.skill_id === "string" ? input.skill_id : undefined;
}

function isRun(tool: string): boolean {
  return tool === "run_skill_script" || tool === "skills.run_script";
}

/** Whether a pattern allows to use the skill that the call runs something of. */
function isUseOf(pattern: ToolPattern, { tool }: ToolCall, owner: string, aliases: ToolAliases): boolean {
  switch (pattern.kind) {
    case "tool":
      if (isRun(pattern.tool)) return isRun(tool);
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
