import { SkillError } from "@skillhold/protocol/error";
import type { Approvals } from "../approval/index.ts";
import type { SkillContent } from "../library/library.ts";
import { type Act, type Decision, decide, defaultRules } from "../policy/index.ts";
import type { Mount, Network, Sandbox } from "../sandbox/sandbox.ts";
import type { SessionLog } from "../session/session-log.ts";
import type { RunPorts } from "./run-port.ts";

/** What is to be run, exactly, before anyone has said yes to it. */
export interface RunRequest {
  readonly run: string;
  readonly act: Extract<Act, "run_script" | "call_tool">;
  readonly content: SkillContent;
  /** The script's path or the tool's name. */
  readonly target: string;
  readonly args: readonly string[];
  readonly network: Network;
  readonly mounts: readonly Mount[];
  /** The names of what would be handed to it. */
  readonly secrets: readonly string[];
  readonly sandbox: Sandbox;
  /** Whether running without a sandbox was asked for, for this run. */
  readonly isUnsandboxed: boolean;
}

export interface ClearanceContext {
  readonly ports: RunPorts;
  readonly approvals: Approvals;
  readonly log: SessionLog;
  readonly signal?: AbortSignal | undefined;
  /** The skill as it is now, through the gate. */
  readonly read: () => Promise<SkillContent>;
}

/**
 * Gets the leave to run something, or throws. When it returns, the request and the leave are recorded, and the
 * record is durable as far as the sink is: nothing has started before.
 */
export async function clearRun(request: RunRequest, context: ClearanceContext): Promise<void> {
  await requireSandbox(request.sandbox);
  const decision = decide(policyRequest(request, context.ports), context.ports.rules ?? defaultRules);
  await context.log.record({ ...aboutRun(request), ...requested(request) });
  if (decision.verdict === "deny") throw denied(request, decision);
  const approval = decision.verdict === "ask" ? await approve(request, decision, context) : undefined;
  await context.log.record({ ...aboutRun(request), type: "run.approved", rule: decision.rule, ...approval });
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

function policyRequest({ act, content, ...request }: RunRequest, ports: RunPorts) {
  const { network, mounts, secrets, sandbox, isUnsandboxed } = request;
  return {
    act,
    trust: content.entry.trust,
    network: typeof network === "string" ? network : ("hosts" as const),
    mounts: reachOf(mounts),
    hasSecrets: secrets.length > 0,
    isUnsandboxed: sandbox.id === "none",
    mayRunUnsandboxed: isUnsandboxed && ports.unsandboxed !== undefined,
  };
}

function reachOf(mounts: readonly Mount[]): "none" | "read" | "write" {
  if (mounts.some(({ isWritable }) => isWritable)) return "write";
  return mounts.length > 0 ? "read" : "none";
}

function requested({ content, args, network, mounts, secrets, sandbox }: RunRequest) {
  return {
    type: "run.requested" as const,
    trust: content.entry.trust,
    args: [...args],
    network: formatNetwork(network),
    mounts: mounts.map(({ source, isWritable }) => ({ source, isWritable })),
    secrets: [...secrets],
    sandbox: sandbox.id,
  };
}

async function approve(request: RunRequest, decision: Decision, context: ClearanceContext) {
  const { content, act, target, args, network, mounts, secrets } = request;
  const { approvals, log, signal } = context;
  const asked = {
    skill: content.entry.id,
    treeHash: content.treeHash,
    trust: content.entry.trust,
    act,
    target,
    args,
    network: formatNetwork(network),
    mounts: mounts.map(({ source, isWritable }) => ({ source, isWritable })),
    secrets,
    decision,
    session: log.session,
  };
  const { by, approval } = await approvals.obtain(asked, signal);
  await rejectChanged(request, context);
  return { by, approval };
}

/** What would run is the copy that was asked about; an author who changed the skill meanwhile means another one. */
async function rejectChanged({ content }: RunRequest, { read }: ClearanceContext): Promise<void> {
  if ((await read()).treeHash === content.treeHash) return;
  throw new SkillError(
    "APPROVAL_REQUIRED",
    `The skill ${content.entry.id} was changed while its approval was asked for; the approval does not count.`,
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

export function formatNetwork(network: Network): string {
  return typeof network === "string" ? network : network.hosts.toSorted().join(",");
}
