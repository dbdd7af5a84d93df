import type { SkillFile } from "@skillhold/core";
import type { Principal } from "../principal.ts";
import type { RunningContext } from "../running-context.ts";

/** What is read of fewer bytes takes less than to wait for it. */
const LARGE_BYTES = 1024 * 1024;

interface Reader {
  readonly principal: Principal;
  readonly signal: AbortSignal;
}

/**
 * Reads a file, a large one when the gate for heavy work lets it. A part is no lighter than the whole: the digest is
 * over all of it.
 */
export async function readInTurn<T>(
  { size }: Pick<SkillFile, "size">,
  { principal, signal }: Reader,
  read: () => Promise<T>,
  { gates }: Pick<RunningContext, "gates">,
): Promise<T> {
  return size < LARGE_BYTES ? await read() : await gates.heavy.pass(principal.token, read, signal);
}
