import { basename } from "node:path";
import { type ApprovalStore, Approvals, type Asker } from "@skillhold/core/approval";
import { type Decision, decide, defaultRules, type Rules } from "@skillhold/core/policy";
import type { AuditSink, Clock, Ids } from "@skillhold/core/port";
import { remoteIdentity } from "@skillhold/core/source";
import type { Digest, Limits, SkillEntry, SkillEvent } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { InstallScope } from "./environment-build.ts";
import { isIsolated } from "./environment-folder.ts";
import type { ItemResult } from "./install-group.ts";
import type { InstallSpec } from "./spec.ts";

/** The skill to install packages for, as it was read. */
export interface InstallSubject {
  readonly entry: Pick<SkillEntry, "id" | "trust"> & Partial<Pick<SkillEntry, "source" | "path">>;
  readonly treeHash: Digest;
}

export interface ClearancePorts {
  readonly approvals: ApprovalStore;
  /** Without an asker, only packages that the policy allows are installed. */
  readonly asker?: Asker;
  readonly rules?: Rules;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly audit: AuditSink;
  readonly limits: Limits;
  /** Returns the current tree hash of the skill. */
  readonly treeHash: () => Promise<Digest>;
  readonly signal?: AbortSignal;
}

/**
 * Returns the `clear` function of an installation: it applies the policy, and asks a person when the policy
 * requires it. When it resolves, the request and the permission are recorded. Its result records the outcome.
 */
export function installClearance(subject: InstallSubject, ports: ClearancePorts): Clear {
  const approvals = openApprovals(ports);
  return async (specs) => {
    const { clock, ids, audit, rules = defaultRules } = ports;
    const request = requestOf(subject, specs, ids);
    const { trust } = subject.entry;
    const decision = decide({ ...LEAST, trust }, rules);
    const at = () => clock.now().toISOString();
    const { skill, treeHash: hash, session, run, target, network, mounts, secrets, sandbox } = request;
    const about = { skill, hash, session, run, target };
    const args = specs.map(({ text }) => text);
    const reach = { network, mounts, secrets, sandbox };
    await audit.record({ type: "run.requested", at: at(), ...about, trust, args, ...reach });
    if (decision.verdict === "deny") throw denied(subject, decision);
    const yes =
      decision.verdict === "ask"
        ? await approvals.obtain({ ...request, decision }, { signal: ports.signal })
        : undefined;
    if (yes !== undefined) await rejectChanged(subject, ports);
    const by = yes === undefined ? {} : { by: yes.by, approval: yes.approval };
    await audit.record({ type: "run.approved", at: at(), ...about, rule: decision.rule, ...by });
    return (outcome) => recordEnd({ skill, hash, session, run }, outcome, ports);
  };
}

type InstallRun = Pick<SkillEvent & { readonly type: "run.approved" }, "skill" | "hash" | "session" | "run">;

/** Throws when the audit log fails, although the packages are already installed. */
async function recordEnd(
  about: InstallRun,
  { scope, results, environment }: InstallOutcome,
  { clock, audit }: ClearancePorts,
): Promise<void> {
  try {
    await audit.record({
      type: "skill.deps_installed",
      at: clock.now().toISOString(),
      ...about,
      scope,
      results: results.map(({ spec, status, message }) => ({ spec, status, message })),
      ...(environment === undefined ? {} : { environment: basename(environment) }),
    });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `The packages for ${about.skill} are installed, but the audit record failed: ${reason}`;
    throw new SkillError("IO_FAILED", message, { details: { skill: about.skill, run: about.run }, cause });
  }
}

/**
 * Every installation uses the network, so `install` has its own policy setting and `network` stays "none".
 */
const LEAST = {
  act: "install",
  network: "none",
  mounts: "none",
  hasSecrets: false,
  isUnsandboxed: false,
  mayRunUnsandboxed: false,
} as const;

function openApprovals({ approvals: store, asker, ...ports }: ClearancePorts): Approvals {
  return new Approvals({ ...ports, store, ...(asker === undefined ? {} : { asker }) });
}

/** Package managers run in the sandbox; a system package is installed on the host. */
function requestOf({ entry, treeHash }: InstallSubject, specs: readonly InstallSpec[], ids: Ids) {
  const { source = "", path = "" } = entry;
  const origin = remoteIdentity({ source, path });
  return {
    requester: {},
    skill: entry.id,
    treeHash,
    trust: entry.trust,
    ...(origin === undefined ? {} : { origin }),
    act: "install",
    target: specs.map(({ text }) => text).join(","),
    args: [],
    network: "open",
    mounts: [],
    secrets: [],
    sandbox: specs.every(isIsolated) ? "package-manager" : "none",
    session: ids.next(),
    run: ids.next(),
  } as const;
}

function denied({ entry: { id, trust } }: InstallSubject, { rule, reason }: Decision): SkillError {
  return new SkillError("POLICY_DENIED", `${reason} (rule ${rule}, skill ${id}, trust ${trust})`, {
    hint: `\`skillhold policy explain --act install --trust ${trust}\` prints the rules.`,
    details: { rule, trust, skill: id },
  });
}

async function rejectChanged(subject: InstallSubject, ports: ClearancePorts): Promise<void> {
  if ((await ports.treeHash()) === subject.treeHash) return;
  throw new SkillError(
    "APPROVAL_REQUIRED",
    `The skill ${subject.entry.id} changed while its approval was pending, so the approval is void.`,
    { hint: "Run the command again to approve the changed content." },
  );
}

/** The result of a permitted installation. */
export interface InstallOutcome {
  readonly scope: InstallScope;
  readonly results: readonly ItemResult[];
  /** The folder of the packages; undefined when no package was installed. */
  readonly environment?: string;
}

export type RecordInstall = (outcome: InstallOutcome) => Promise<void>;

/**
 * Checks the policy and asks a person whether these packages may be installed, and throws when they may not.
 * The returned function, if any, records the outcome.
 */
export type Clear = (specs: readonly InstallSpec[]) => Promise<RecordInstall | undefined>;

/**
 * Installs, then records the outcome, also when the installation throws. A nested call leaves the record to
 * the outer call, so each permission has one record.
 */
export async function withRecord<T extends Omit<InstallOutcome, "scope">>(
  scope: InstallScope,
  clear: Clear,
  install: (clear: Clear) => Promise<T>,
): Promise<T> {
  let end: Cleared | undefined;
  const clearOnce: Clear = async (specs) => {
    end = { specs, record: await clear(specs) };
    return undefined;
  };
  const recordEnd = async (outcome: Omit<InstallOutcome, "scope">) =>
    await end?.record?.({ ...outcome, scope });
  const report = await install(clearOnce).catch(async (error: unknown) => {
    await recordEnd({ results: brokenOff(end?.specs ?? [], error) });
    throw error;
  });
  await recordEnd(report);
  return report;
}

interface Cleared {
  readonly specs: readonly InstallSpec[];
  readonly record: RecordInstall | undefined;
}

function brokenOff(specs: readonly InstallSpec[], error: unknown): readonly ItemResult[] {
  const reason = error instanceof Error ? error.message : String(error);
  return specs.map(({ text }) => ({
    spec: text,
    status: "failed",
    message: `${text}: the installation stopped: ${reason}`,
    durationMs: 0,
  }));
}
