import type { Trust } from "@skillhold/protocol";
import { neutralText } from "../catalogue/index.ts";
import type { Act } from "../policy/policy.ts";
import type { ApprovalRequest, Requester } from "./approval.ts";

export interface DescribedField {
  readonly label: string;
  /** One line that is safe to print. */
  readonly value: string;
}

const ACTS: Readonly<Record<Act, string>> = {
  run_script: "run",
  call_tool: "call",
  shell_in_prompt: "run in the shell",
  install: "install",
  use_tool: "use the agent's shell for",
};

/**
 * A request as display fields, the same on every screen: everything that an approval permits, and the reason.
 * Untrusted text is neutralized, and different targets, arguments and folders never look the same.
 */
export function describeRequest(request: ApprovalRequest): readonly DescribedField[] {
  const { skill, treeHash, trust, origin, environment, act, target, args, network, mounts, secrets } =
    request;
  const { sandbox, stdin } = request;
  return [
    { label: "Asked by", value: requesterText(request.requester) },
    { label: "Skill", value: neutralText(skill) },
    { label: "Content", value: neutralText(treeHash) },
    { label: "Trust", value: trust },
    ...(origin === undefined ? [] : [{ label: "Origin", value: exactText(origin) }]),
    ...(environment === undefined ? [] : [{ label: "Packages", value: neutralText(environment) }]),
    { label: "Act", value: `${ACTS[act]} ${exactText(target)}` },
    { label: "Arguments", value: orNone(args.map(exactText).join(" ")) },
    ...(stdin === undefined ? [] : [{ label: "Input", value: `${stdin.bytes} bytes, ${stdin.digest}` }]),
    ...(sandbox === "none"
      ? [{ label: "Sandbox", value: "NONE: it could do everything that you can" }]
      : [
          { label: "Sandbox", value: neutralText(sandbox) },
          { label: "Network", value: neutralText(network) },
        ]),
    ...mounts.map(({ source, target, isWritable }) => ({
      label: "Mount",
      value: `${exactText(source)} as ${exactText(target)} (${isWritable ? "can be changed" : "read-only"})`,
    })),
    { label: "Secrets", value: orNone(secrets.map((name) => neutralText(name)).join(", ")) },
    ...request.decision.reasons.map((reason) => ({ label: "Reason", value: neutralText(reason) })),
  ];
}

/** The first line of a question, which says it all in brief: clients may show no more. */
export function headlineOf(request: ApprovalRequest): string {
  const { act, target, skill, trust, sandbox, network } = request;
  const verb = `${ACTS[act].charAt(0).toUpperCase()}${ACTS[act].slice(1)}`;
  const reach = [
    OWNERS[trust],
    ...(act === "use_tool"
      ? ["the agent's own tool, no sandbox of Skillhold"]
      : reachWords(sandbox, network)),
  ];
  return `${verb} ${exactText(target)} of ${neutralText(skill)} (${reach.join("; ")})`;
}

function reachWords(sandbox: string, network: string): readonly string[] {
  return [
    sandbox === "none" ? "NO SANDBOX" : "sandbox",
    network === "none" ? "no network" : `network: ${neutralText(network, 100)}`,
  ];
}

const OWNERS: Readonly<Record<Trust, string>> = {
  builtin: "built in",
  org: "your organization's",
  user: "yours",
  third_party: "third party",
};

/** The agent and the user, for a person who decides. */
export function requesterText({ agent, user }: Requester): string {
  if (agent === undefined) return user === undefined ? "an unnamed user" : exactText(user);
  return `the agent ${exactText(agent)}${user === undefined ? "" : ` of ${exactText(user)}`}`;
}

/** The act in a few words, for the middle of a sentence. */
export function summarizeRequest({ act, target, skill, treeHash }: ApprovalRequest): string {
  return `${ACTS[act]} ${exactText(target)} of ${neutralText(skill)} (${treeHash})`;
}

/**
 * Plain text unchanged; other text as JSON with every invisible, space-like or combining character escaped. Different
 * texts stay different.
 */
export function exactText(text: string): string {
  if (/^[\w./:@%+=,-]+$/.test(text)) return text;
  return JSON.stringify(text).replace(unclear, escapeUnits);
}

const unclear = /[[\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]--[ ]]/gv;

function escapeUnits(character: string): string {
  return character
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");
}

function orNone(text: string): string {
  // Arguments with brackets are quoted, so no argument looks like this.
  return text === "" ? "(none)" : text;
}
