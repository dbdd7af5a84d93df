import { neutralText } from "../catalogue/index.ts";
import type { Act } from "../policy/policy.ts";
import type { ApprovalRequest } from "./approval.ts";

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
};

/**
 * A request as display fields, the same on every screen: everything that an approval permits, and the reason.
 * Untrusted text is neutralized, and different targets, arguments and folders never look the same.
 */
export function describeRequest(request: ApprovalRequest): readonly DescribedField[] {
  const { skill, treeHash, trust, origin, act, target, args, network, mounts, secrets, sandbox, stdin } =
    request;
  return [
    { label: "Skill", value: neutralText(skill) },
    { label: "Content", value: neutralText(treeHash) },
    { label: "Trust", value: trust },
    ...(origin === undefined ? [] : [{ label: "Origin", value: exactText(origin) }]),
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
