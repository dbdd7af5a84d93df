import { basename } from "node:path";
import { type ApprovalStore, Approvals, type Asker } from "@skillhold/core/approval";
import { type Decision, decide, defaultRules, type Rules } from "@skillhold/core/policy";
import type { AuditSink, Clock, Ids } from "@skillhold/core/port";
import { remoteIdentity } from "@skillhold/core/source";
import type { Digest, Limits, SkillEntry, SkillEvent } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { isIsolated } from "./environment-folder.ts";
import type { Clear, InstallOutcome } from "./install-record.ts";
import type { InstallSpec } from "./spec.ts";

/** The skill for which something is installed, as it was read. */
export interface InstallSubject {
  readonly entry: Pick<SkillEntry, "id" | "trust"> & Partial<Pick<SkillEntry, "source" | "path">>;
  readonly treeHash: Digest;
}

export interface ClearancePorts {
  readonly approvals: ApprovalStore;
  /** Without anyone to ask, only what the policy allows by itself is installed. */
  readonly asker?: Asker;
  readonly rules?: Rules;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly audit: AuditSink;
  readonly limits: Limits;
  /** The hash of the skill as it is now. */
  readonly treeHash: () => Promise<Digest>;
  readonly signal?: AbortSignal;
}

/**
 * The leave to install something for a skill, as `clear` of an installation: by the policy, and by a person where it
 * asks for one. When it resolves, the request and the leave are recorded; what it gives back records the end.
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
      decision.verdict === "ask" ? await approvals.obtain({ ...request, decision }, ports.signal) : undefined;
    if (yes !== undefined) await rejectChanged(subject, ports);
    const by = yes === undefined ? {} : { by: yes.by, approval: yes.approval };
    await audit.record({ type: "run.approved", at: at(), ...about, rule: decision.rule, ...by });
    return (outcome) => recordEnd({ skill, hash, session, run }, outcome, ports);
  };
}

type InstallRun = Pick<SkillEvent & { readonly type: "run.approved" }, "skill" | "hash" | "session" | "run">;

/** That it is not known afterwards what was installed is for the caller to say: it is installed all the same. */
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
    const message = `What was installed for ${about.skill} stays, but could not be recorded: ${reason}`;
    throw new SkillError("IO_FAILED", message, { details: { skill: about.skill, run: about.run }, cause });
  }
}

/** That packages come by the network is in the nature of the act, which has a setting of its own. */
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

/** What installs a package is no program of the skill's. Only packages of the system run programs as they come. */
function requestOf({ entry, treeHash }: InstallSubject, specs: readonly InstallSpec[], ids: Ids) {
  const { source = "", path = "" } = entry;
  const origin = remoteIdentity({ source, path });
  return {
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
    `The skill ${subject.entry.id} changed while its approval was being asked for, so the approval is void.`,
    { hint: "Run it again: the changed content is asked for anew." },
  );
}
