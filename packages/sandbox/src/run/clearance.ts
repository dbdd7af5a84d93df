import { hash } from "node:crypto";
import type { ApprovalScope } from "@skillhold/core/approval";
import type { SkillContent } from "@skillhold/core/library";
import { type Act, type Decision, decide, defaultRules, type PolicyRequest } from "@skillhold/core/policy";
import type { Mount, Network, RunContext, RunPorts, Sandbox } from "@skillhold/core/run";
import { remoteIdentity } from "@skillhold/core/source";
import type { Digest } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";

/** What is to be run, exactly, before anyone has said yes to it. */
export interface RunRequest {
  readonly run: string;
  readonly act: Extract<Act, "run_script" | "call_tool">;
  readonly content: SkillContent;
  /** The script's path or the tool's name. */
  readonly target: string;
  /** As they may be shown and recorded: without the values of secrets. */
  readonly args: readonly string[];
  readonly stdin?: string | Uint8Array | undefined;
  readonly network: Network;
  readonly mounts: readonly Mount[];
  /** The names of what would be handed to it. */
  readonly secrets: readonly string[];
  readonly sandbox: Sandbox;
  /** Whether running without a sandbox was asked for, for this run. */
  readonly isUnsandboxed: boolean;
}

/** The parts of a run's context that clearing it needs. */
export type ClearanceContext = Pick<RunContext, "ports" | "approvals" | "log" | "signal" | "read">;

/** That something may run. */
export interface Leave {
  /** For how much a person gave it; undefined when the policy allows it by itself. */
  readonly scope: ApprovalScope | undefined;
}

/**
 * Gets the leave to run something, or throws. When it returns, the request and the leave are recorded, and the
 * record is durable as far as the sink is: nothing has started before.
 */
export async function clearRun(request: RunRequest, context: ClearanceContext): Promise<Leave> {
  await requireSandbox(request.sandbox);
  const decision = decide(policyRequest(request, context.ports), context.ports.rules ?? defaultRules);
  const { trust } = request.content.entry;
  const asked = { ...reachOf(request), ...stdinOf(request) };
  const args = [...request.args];
  await context.log.record({ type: "run.requested", ...aboutRun(request), trust, args, ...asked });
  if (decision.verdict === "deny") throw denied(request, decision);
  const approved = decision.verdict === "ask" ? await approve(request, decision, context) : undefined;
  const by = approved === undefined ? {} : { by: approved.by, approval: approved.approval };
  await context.log.record({ type: "run.approved", ...aboutRun(request), rule: decision.rule, ...by });
  return { scope: approved?.scope };
}

/** A backend that did not stand its own test is none. Running without one is the policy's matter. */
async function requireSandbox(sandbox: Sandbox): Promise<void> {
  if (sandbox.id === "none") return;
  const { isAvailable, problem } = await sandbox.probe();
  if (isAvailable) return;
  throw new SkillError(
    "SANDBOX_UNAVAILABLE",
    problem?.message ?? "The sandbox does not confine what runs in it.",
    problem === undefined ? {} : { hint: problem.hint },
  );
}

function policyRequest({ act, content, ...request }: RunRequest, ports: RunPorts): PolicyRequest {
  const { network, mounts, secrets, sandbox, isUnsandboxed } = request;
  return {
    act,
    trust: content.entry.trust,
    network: typeof network === "string" ? network : "hosts",
    mounts: mounts.some(({ isWritable }) => isWritable) ? "write" : mounts.length > 0 ? "read" : "none",
    hasSecrets: secrets.length > 0,
    isUnsandboxed: sandbox.id === "none",
    mayRunUnsandboxed: isUnsandboxed && ports.unsandboxed !== undefined,
  };
}

/** What it could reach, as it is asked about and recorded. */
function reachOf({ network, mounts, secrets, sandbox }: RunRequest) {
  return {
    network: typeof network === "string" ? network : network.hosts.toSorted().join(","),
    mounts: mounts.map(({ source, target, isWritable }) => ({ source, target, isWritable })),
    secrets: [...secrets],
    sandbox: sandbox.id,
  };
}

function stdinOf({ stdin }: RunRequest) {
  if (stdin === undefined) return {};
  // The hash is 64 lower-case hexadecimal digits.
  const digest = `sha256:${hash("sha256", stdin, "hex")}` as Digest;
  return { stdin: { bytes: Buffer.byteLength(stdin), digest } };
}

async function approve(request: RunRequest, decision: Decision, context: ClearanceContext) {
  const { content, act, target, args, run } = request;
  const { approvals, log, signal } = context;
  const { id: skill, trust } = content.entry;
  const identity = remoteIdentity(content.entry);
  const origin = identity === undefined ? {} : { origin: identity };
  const subject = { skill, treeHash: content.treeHash, trust, ...origin };
  const about = { ...subject, act, target, args, run, session: log.session };
  const question = { ...about, ...reachOf(request), ...stdinOf(request), decision };
  const obtained = await approvals.obtain(question, signal);
  await rejectChanged(request, context);
  return obtained;
}

/** What would run is the copy that was asked about; an author who changed the skill meanwhile means another one. */
async function rejectChanged({ content }: RunRequest, { read }: ClearanceContext): Promise<void> {
  if ((await read()).treeHash === content.treeHash) return;
  throw new SkillError(
    "APPROVAL_REQUIRED",
    `The skill ${content.entry.id} changed while its approval was being asked for, so the approval is void.`,
    { hint: "Run it again: the changed content is asked for anew." },
  );
}

function denied({ content, act }: RunRequest, { rule, reason }: Decision): SkillError {
  const { id, trust } = content.entry;
  return new SkillError("POLICY_DENIED", `${reason} (rule ${rule}, skill ${id}, trust ${trust})`, {
    hint: `\`skillhold policy explain --act ${act} --trust ${trust}\` prints the rules.`,
    details: { rule, trust, skill: id },
  });
}

/** What every record of a run has. */
export function aboutRun({ content, run, target }: Pick<RunRequest, "content" | "run" | "target">) {
  return { skill: content.entry.id, hash: content.treeHash, run, target };
}
