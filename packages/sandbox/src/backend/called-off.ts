import { SkillError } from "@skillhold/protocol/error";

/** Throws INTERRUPTED when the run was called off. */
export function rejectCalledOff(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  throw new SkillError("INTERRUPTED", "The run was called off before it started.", { cause: signal.reason });
}
