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
