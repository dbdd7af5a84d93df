import { type Act, type Decision, decide, type PolicyRequest } from "@skillhold/core/policy";
import { declaredSecrets } from "@skillhold/core/secret";
import type { SkillEntry } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { findPinProblem, parseAllowedTools, splitAllowedTools } from "@skillhold/skill";
import type { CommandInput } from "../../command.ts";
import { getEntry } from "../../get-entry.ts";
import { withLibrary } from "../../open.ts";
import { textOption } from "../../option.ts";

/** The policy decisions for one skill. */
export interface SkillPolicy {
  readonly skill: string;
  readonly trust: PolicyRequest["trust"];
  readonly decisions: readonly SkillDecision[];
  /** Names of the variables that a run receives. */
  readonly secrets: readonly string[];
  /** Configuration files that a run can read. */
  readonly config: readonly string[];
  /** Null when the skill declares no allowed-tools. */
  readonly allowedTools: Grants | null;
}

export interface SkillDecision {
  readonly title: string;
  readonly request: PolicyRequest;
  readonly decision: Decision;
}

export interface Grants {
  /** The items that grant something, as written. */
  readonly grants: readonly string[];
  readonly problems: readonly { readonly item: string; readonly problem: string }[];
}

export async function explainSkill(input: CommandInput, id: string): Promise<SkillPolicy> {
  const { options } = input;
  if (options["trust"] !== undefined)
    throw new SkillError(
      "USAGE",
      "--trust and an id exclude each other: a skill has the trust of its source.",
    );
  return await withLibrary(input, async (opened) => {
    const entry = await getEntry(opened, id);
    const secrets = declaredSecrets(entry);
    const least = { ...readPolicyRequest({}, entry.trust), hasSecrets: secrets.length > 0 };
    const requested = { ...least, ...given(readPolicyRequest(options, entry.trust)) };
    return {
      skill: entry.id,
      trust: entry.trust,
      decisions: isRequest(options) ? [decided("as requested", requested)] : usualDecisions(least),
      secrets,
      config: entry.requires.config,
      allowedTools: grantsOf(entry),
    };
  });
}

/** A skill receives its declared secrets with or without `--secrets`. */
function given(request: PolicyRequest): Partial<PolicyRequest> {
  const { hasSecrets, ...rest } = request;
  return hasSecrets ? request : rest;
}

function usualDecisions(least: PolicyRequest): readonly SkillDecision[] {
  return [
    decided("a script", least),
    decided("a declared tool", { ...least, act: "call_tool" }),
    decided("a script with network", { ...least, network: "open" }),
    decided("a script that can change a folder", { ...least, mounts: "write" }),
    decided("a script without a sandbox", { ...least, isUnsandboxed: true, mayRunUnsandboxed: true }),
    decided("commands in its instructions", { ...least, act: "shell_in_prompt" }),
    decided("installing its dependencies", { ...least, act: "install" }),
  ];
}

function decided(title: string, request: PolicyRequest): SkillDecision {
  return { title, request, decision: decide(request) };
}

function grantsOf({ allowedTools }: SkillEntry): Grants | null {
  if (allowedTools === undefined) return null;
  const items = splitAllowedTools(allowedTools);
  const judged = items.map((item) => ({ item, problem: problemOf(item) }));
  return {
    grants: judged.filter(({ problem }) => problem === undefined).map(({ item }) => item),
    problems: judged.flatMap(({ item, problem }) => (problem === undefined ? [] : [{ item, problem }])),
  };
}

/** Why an item has no effect: it is not understood, or it would allow every program. */
function problemOf(item: string): string | undefined {
  const { patterns, problems } = parseAllowedTools([item]);
  const [pattern] = patterns;
  if (pattern?.kind === "command" && pattern.isPrefix) return findPinProblem(pattern.words);
  return problems[0]?.problem;
}

type Options = CommandInput["options"];

const switches = ["network", "mounts", "secrets", "unsandboxed"] as const;

/** Whether the options describe a request to decide. */
export function isRequest(options: Options): boolean {
  return (
    options["act"] !== undefined || options["trust"] !== undefined || switches.some((name) => options[name])
  );
}

/** The request of the options. The defaults are the least: a plain script of the user's own skill. */
export function readPolicyRequest(options: Options, trust?: PolicyRequest["trust"]): PolicyRequest {
  const isUnsandboxed = options["unsandboxed"] === true;
  return {
    // The command table allows only the names of acts, tiers and kinds of mounts here.
    act: (textOption(options, "act") ?? "run_script") as Act,
    trust: trust ?? ((textOption(options, "trust") ?? "user") as PolicyRequest["trust"]),
    network: options["network"] === true ? "open" : "none",
    mounts: (textOption(options, "mounts") ?? "none") as PolicyRequest["mounts"],
    hasSecrets: options["secrets"] === true,
    isUnsandboxed,
    mayRunUnsandboxed: isUnsandboxed,
  };
}
