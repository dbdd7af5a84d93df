import { hash } from "node:crypto";
import { type ApprovalRequest, type ApprovalScope, requestKey } from "@skillhold/core/approval";
import type { SkillContent } from "@skillhold/core/library";
import { type Act, type Decision, decide, defaultRules, type PolicyRequest } from "@skillhold/core/policy";
import type { Clearance, Mount, RunContext, RunEnvironment, RunPorts, Sandbox } from "@skillhold/core/run";
import { remoteIdentity } from "@skillhold/core/source";
import type { Digest } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { missingLine, type RunNetwork } from "./run-network.ts";

/** A run before it is permitted. */
export interface RunRequest {
  readonly run: string;
  readonly act: Extract<Act, "run_script" | "call_tool">;
  readonly content: SkillContent;
  /** The script's path or the tool's name. */
  readonly target: string;
  /** The arguments for display and records, without secret values. */
  readonly args: readonly string[];
  readonly stdin?: string | Uint8Array | undefined;
  readonly network: RunNetwork;
  readonly mounts: readonly Mount[];
  /** The names of the secrets that the run would receive. */
  readonly secrets: readonly string[];
  readonly sandbox: Sandbox;
  /** True when this run was requested without a sandbox. */
  readonly isUnsandboxed: boolean;
  /** The installed packages that the run would use. */
  readonly environment: RunEnvironment | undefined;
}

/** The parts of a run's context that clearance needs. */
export type ClearanceContext = Pick<
  RunContext,
  "ports" | "approvals" | "log" | "agent" | "user" | "signal" | "asker" | "approval" | "read"
>;

/** The permission to run. */
export interface RunPermission {
  /** The scope of a person's approval; undefined when the policy allows the run. */
  readonly scope: ApprovalScope | undefined;
}

/**
 * Obtains the permission to run, or throws. When it returns, the request and the permission are recorded, as
 * durably as the sink allows, and the run has not started.
 */
export async function clearRun(request: RunRequest, context: ClearanceContext): Promise<RunPermission> {
  await requireSandbox(request.sandbox);
  const decision = decideRun(request, context);
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

/** The same decision as `clearRun`, without a question and without a record. Throws when the policy denies the run. */
export async function checkRun(request: RunRequest, context: ClearanceContext): Promise<Clearance> {
  await requireSandbox(request.sandbox);
  const decision = decideRun(request, context);
  const { rule, verdict } = decision;
  if (verdict === "deny") throw denied(request, decision);
  if (verdict === "allow") return { verdict: "allow", rule };
  const asked = approvalRequest(request, decision, context);
  const approval = await context.approvals.find(asked);
  if (approval !== undefined) return { verdict: "allow", rule, approval, request: asked };
  return { verdict: "ask", request: asked, key: requestKey(asked) };
}

function decideRun(request: RunRequest, { ports }: ClearanceContext): Decision {
  const decision = decide(policyRequest(request, ports), ports.rules ?? defaultRules);
  const { undeclared } = request.network;
  if (decision.verdict === "deny" || undeclared.length === 0) return decision;
  const lines = undeclared.map((host) => `"${missingLine(host)}"`).join(", ");
  const reason = `The capability manifest of the skill has no line ${lines}.`;
  const reasons = decision.verdict === "ask" ? decision.reasons : [];
  return { verdict: "ask", rule: "capability-manifest", reason, reasons: [reason, ...reasons] };
}

/** A backend that failed its self-test is unavailable. Running without a sandbox is a policy decision. */
async function requireSandbox(sandbox: Sandbox): Promise<void> {
  if (sandbox.id === "none") return;
  const { isAvailable, problem } = await sandbox.probe();
  if (isAvailable) return;
  throw new SkillError(
    "SANDBOX_UNAVAILABLE",
    problem?.message ?? "The sandbox failed its self-test.",
    problem === undefined ? {} : { hint: problem.hint },
  );
}

function policyRequest({ act, content, ...request }: RunRequest, ports: RunPorts): PolicyRequest {
  const { network, mounts, secrets, sandbox, isUnsandboxed } = request;
  return {
    act,
    trust: content.entry.trust,
    network: typeof network.asked === "string" ? network.asked : "hosts",
    mounts: mounts.some(({ isWritable }) => isWritable) ? "write" : mounts.length > 0 ? "read" : "none",
    hasSecrets: secrets.length > 0,
    isUnsandboxed: sandbox.id === "none",
    mayRunUnsandboxed: isUnsandboxed && ports.unsandboxed !== undefined,
  };
}

/** The resources that the run could reach, for the question and the record. */
function reachOf({ network: { granted }, mounts, secrets, sandbox }: RunRequest) {
  const hosts = typeof granted === "string" ? granted : granted.hosts.toSorted().join(",");
  return {
    network: hosts === "" ? "none" : hosts,
    mounts: mounts.map(({ source, target, isWritable }) => ({ source, target, isWritable })),
    secrets: [...secrets],
    sandbox: sandbox.id,
  };
}

function stdinOf({ stdin }: RunRequest) {
  if (stdin === undefined) return {};
  // The hash is 64 lowercase hexadecimal digits.
  const digest = `sha256:${hash("sha256", stdin, "hex")}` as Digest;
  return { stdin: { bytes: Buffer.byteLength(stdin), digest } };
}

async function approve(request: RunRequest, decision: Decision, context: ClearanceContext) {
  const { approvals, signal, asker, approval } = context;
  const asked = approvalRequest(request, decision, context);
  const obtained = await approvals.obtain(asked, { signal, asker, approval });
  await rejectChanged(request, context);
  return obtained;
}

function approvalRequest(
  request: RunRequest,
  decision: Decision,
  { log, agent, user }: ClearanceContext,
): ApprovalRequest {
  const { content, act, target, args, run, environment } = request;
  const { id: skill, trust } = content.entry;
  const identity = remoteIdentity(content.entry);
  const origin = identity === undefined ? {} : { origin: identity };
  const requester = { ...(agent === undefined ? {} : { agent }), ...(user === undefined ? {} : { user }) };
  const packages = environment === undefined ? {} : { environment: environment.lock };
  const subject = { requester, skill, treeHash: content.treeHash, trust, ...origin, ...packages };
  const about = { ...subject, act, target, args, run, session: log.session };
  return { ...about, ...reachOf(request), ...stdinOf(request), decision };
}

/** The approved copy would run, but the author has changed the skill since, so the approval is void. */
async function rejectChanged({ content }: RunRequest, { read }: ClearanceContext): Promise<void> {
  if ((await read()).treeHash === content.treeHash) return;
  throw new SkillError(
    "APPROVAL_REQUIRED",
    `The skill ${content.entry.id} changed while its approval was pending, so the approval is void.`,
    { hint: "Run the command again to approve the changed content." },
  );
}

function denied({ content, act }: RunRequest, { rule, reason }: Decision): SkillError {
  const { id, trust } = content.entry;
  return new SkillError("POLICY_DENIED", `${reason} (rule ${rule}, skill ${id}, trust ${trust})`, {
    hint: `\`skillhold policy explain --act ${act} --trust ${trust}\` prints the rules.`,
    details: { rule, trust, skill: id },
  });
}

/** The fields of every record of a run. */
export function aboutRun({ content, run, target }: Pick<RunRequest, "content" | "run" | "target">) {
  return { skill: content.entry.id, hash: content.treeHash, run, target };
}
