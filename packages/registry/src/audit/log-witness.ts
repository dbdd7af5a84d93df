import { SkillError } from "@skillhold/protocol/error";
import { z } from "zod";
import { type ConsistencyProof, isConsistent } from "./merkle-tree.ts";

/** The last seen state of another gateway's log. */
export const SeenLog = z.looseObject({
  origin: z.string().max(512),
  size: z.int().min(0),
  root: z.string().regex(/^[0-9a-f]{64}$/),
});
export type SeenLog = Readonly<z.infer<typeof SeenLog>>;

/** Asks the gateway for a proof that its log only grew. */
export type ProveConsistency = (from: number, to: number) => Promise<ConsistencyProof["path"]>;

/**
 * Accepts a log that equals the last seen log or extends it. A log that shrank, was rewritten or is a different log
 * is an INTEGRITY_FAILED, because its statements about skills cannot be trusted.
 */
export async function witnessLog(
  before: SeenLog | undefined,
  now: SeenLog,
  prove: ProveConsistency,
): Promise<SeenLog> {
  if (before === undefined || before.size === 0) return now;
  if (before.origin !== now.origin) throw refused("is another log than the one that was seen before");
  if (now.size < before.size) throw refused(`shrank from ${before.size} to ${now.size} entries`);
  const path = now.size === before.size ? [] : await prove(before.size, now.size);
  const proof = { from: before.size, to: now.size, path };
  if (isConsistent(proof, before.root, now.root)) return now;
  throw refused("does not continue the log that was seen before");
}

function refused(problem: string): SkillError {
  return new SkillError("INTEGRITY_FAILED", `The audit log of the gateway ${problem}.`, {
    hint: "Nothing was installed. Ask the operator of the gateway what happened to its log before you trust it again.",
  });
}
