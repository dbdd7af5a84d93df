import type { Digest } from "@skillhold/protocol";
import type { Approval, ApprovalStore } from "./approval.ts";

/** Approvals in memory, for the life of the process. */
export function memoryApprovals(): ApprovalStore {
  const kept = new Map<Digest, Approval>();
  return {
    find: async (key, now) => {
      const approval = kept.get(key);
      return approval !== undefined && isValid(approval, now.getTime()) ? approval : undefined;
    },
    list: async (now) =>
      [...kept.values()]
        .filter((approval) => isValid(approval, now.getTime()))
        .toSorted((a, b) => compare(a.at, b.at) || compare(a.id, b.id)),
    add: async (approval) => {
      const now = Date.parse(approval.at);
      for (const [key, other] of kept) if (isOver(other, now)) kept.delete(key);
      kept.set(approval.key, approval);
    },
    remove: async (id) => {
      const approval = kept.values().find((other) => other.id === id);
      return approval !== undefined && kept.delete(approval.key);
    },
  };
}

/** The tolerated clock difference. */
const TOLERANCE_MS = 60_000;

/** An approval from the future was granted before the clock was set back, so its age is unknown. */
function isValid(approval: Approval, now: number): boolean {
  return !isOver(approval, now) && Date.parse(approval.at) <= now + TOLERANCE_MS;
}

function isOver({ expiresAt }: Approval, now: number): boolean {
  return Date.parse(expiresAt) <= now;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
