import type { Actor } from "@skillhold/protocol";
import type { AuditSink, Clock } from "../port.ts";
import type { Approval, ApprovalStore } from "./approval.ts";

/** The approval store, and the log for revocations. */
export interface RecordedApprovals {
  readonly approvals: ApprovalStore;
  /** Durable before it resolves. */
  readonly audit: AuditSink;
  readonly clock: Clock;
}

/**
 * Revokes an approval, then records it, so that the log never shows a valid approval as revoked. If the record fails,
 * the approval stays revoked and the caller gets the error. False when the approval no longer exists.
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

/** The current state of a remote skill. */
export type ServedContent = Pick<Approval, "skill" | "treeHash">;

/** Revokes approvals of remote skills whose content changed. They stay revoked even if the content changes back. */
export async function revokeChanged(now: readonly ServedContent[], ports: RecordedApprovals): Promise<void> {
  const hashes = new Map(now.map(({ skill, treeHash }) => [skill, treeHash]));
  for (const approval of await ports.approvals.list(ports.clock.now())) {
    const treeHash = hashes.get(approval.skill);
    if (treeHash !== undefined && treeHash !== approval.treeHash)
      await revokeApproval(approval, { by: SYSTEM }, ports);
  }
}

const SYSTEM: Actor = { user: "system", role: "system" };
