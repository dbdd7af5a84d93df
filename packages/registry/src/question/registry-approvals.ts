import type { ApprovalStore } from "@skillhold/core/approval";
import type { RegistryStore } from "../record/registry-store.ts";

type Kept = Pick<RegistryStore, "findApproval" | "listApprovals" | "transaction">;

/** Approvals in the registry's store. All users of the store share them and see a revocation at once. */
export function registryApprovals(store: Kept): ApprovalStore {
  return {
    find: (key, now) => store.findApproval(key, now),
    list: (now) => store.listApprovals(now),
    add: (approval) =>
      store.transaction(async (tx) => {
        await tx.forgetExpired(new Date(approval.at));
        await tx.putApproval(approval);
      }),
    remove: (id) => store.transaction((tx) => tx.removeApproval(id)),
  };
}
