import type { Actor } from "@skillhold/protocol";
import type { AuditSink, Clock } from "../port.ts";
import type { Approval, ApprovalStore } from "./approval.ts";

/** Where approvals are kept, and where it is recorded who takes one back. */
export interface RecordedApprovals {
  readonly approvals: ApprovalStore;
  /** Durable before it resolves. */
  readonly audit: AuditSink;
  readonly clock: Clock;
}

/**
 * Takes an approval back, then records it: in this order the log never calls one revoked that still holds. Where the
 * record fails it is taken back all the same, and whoever asked is told. False when it was not there any more.
 */
export async function revokeApproval(
  { id, skill, target }: Approval,
  { by }: { readonly by: Actor },
  { approvals, audit, clock }: RecordedApprovals,
): Promise<boolean> {
  const at = clock.now().toISOString();
  if (!(await approvals.remove(id))) return false;
  await audit.record({ type: "approval.revoked", at, by, approval: id, skill, target });
  return true;
}

/** A skill that another program serves, as it is now. */
export type ServedContent = Pick<Approval, "skill" | "treeHash">;

/**
 * Takes back what was approved of these skills when they were other ones. What another program serves is no longer
 * what was approved once it has changed, also when it changes back.
 */
export async function revokeChanged(now: readonly ServedContent[], ports: RecordedApprovals): Promise<void> {
  const hashes = new Map(now.map(({ skill, treeHash }) => [skill, treeHash]));
  for (const approval of await ports.approvals.list(ports.clock.now())) {
    const treeHash = hashes.get(approval.skill);
    if (treeHash !== undefined && treeHash !== approval.treeHash)
      await revokeApproval(approval, { by: SYSTEM }, ports);
  }
}

const SYSTEM: Actor = { user: "system", role: "system" };
