import type { SkillFile } from "@skillhold/core/library";
import type { Principal } from "../auth/principal.ts";
import type { RunningContext } from "../running-context.ts";

/** What is read of fewer bytes takes less than to wait for it. */
const LARGE_BYTES = 1024 * 1024;

export function isLarge({ size }: Pick<SkillFile, "size">): boolean {
  return size >= LARGE_BYTES;
}

interface Reader {
  readonly principal: Principal;
  readonly signal: AbortSignal;
}

/**
 * Reads a file, a large one when the gate for heavy work lets it, and for as long as its reader counts. A part is no
 * lighter than the whole: the digest is over all of it.
 */
export async function readInTurn<T>(
  { size }: Pick<SkillFile, "size">,
  reader: Reader,
  read: () => Promise<T>,
  { gates, calls }: Pick<RunningContext, "gates" | "calls">,
): Promise<T> {
  if (!isLarge({ size })) return await read();
  // The signal is made when it is looked at, and small files have no use for it.
  const { principal, signal } = reader;
  return await calls.run(principal, signal, (ending) => gates.heavy.pass(principal.token, read, ending));
}
