import { SkillError } from "@skillhold/protocol/error";

/** Throws INTERRUPTED when the run was canceled. */
export function rejectCanceled(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  throw new SkillError("INTERRUPTED", "The run was canceled before it started.", { cause: signal.reason });
}
