export { type KeySet, keyOfText, keyText, nextKeys, noKeys } from "./audit-key.ts";
export type { AuditProblem, AuditProblemCode } from "./audit-problem.ts";
export { canonicalJson } from "./canonical-json.ts";
export { CHAIN_START, chainHash } from "./chain.ts";
export {
  type Checkpoint,
  type CheckpointSigner,
  readCheckpoint,
  signCheckpoint,
  type TrustedKey,
} from "./checkpoint.ts";
export { type CheckpointFile, checkpointFile } from "./checkpoint-file.ts";
export { CheckpointKeeper, type CheckpointOptions, type Witness } from "./checkpoint-keeper.ts";
export { ActorCheck, actorOf, type EventActor, NO_ACTOR, ownActor } from "./event-actor.ts";
export { type FollowOptions, followEvents, isNextEvent } from "./follow.ts";
export { httpWitness } from "./http-witness.ts";
export { type GuardedAppend, keyChangeOf, LogGuard, type LogMemory, type SeenLogState } from "./log-guard.ts";
export { logMemoryFile } from "./log-memory.ts";
export { LogTree } from "./log-tree.ts";
export { type ProveConsistency, SeenLog, witnessLog } from "./log-witness.ts";
export { appendLeaf, emptyFrontier, isWhole, rootOf } from "./merkle.ts";
export {
  type ConsistencyProof,
  type InclusionProof,
  isConsistent,
  isIncluded,
  leafHash,
  MerkleTree,
} from "./merkle-tree.ts";
export {
  isPruned,
  PRUNE_BATCH,
  type Pruned,
  PrunedEntries,
  type PruneOptions,
  planPruning,
  pruneAudit,
  rejectDamaged,
} from "./pruning.ts";
export { RegistryAudit } from "./registry-audit.ts";
export { type Drift, type Replay, type ReplayContext, replaySession } from "./replay.ts";
export type {
  Recovered,
  ReplayedActivation,
  ReplayedEnd,
  ReplayedRead,
  ReplayedRun,
  ReplayStep,
  UnavailableReason,
} from "./replay-step.ts";
export { findTrustedKey, privateKeyFile, publicKeyFile, signingKeyFile } from "./signing-key.ts";
export { recentUses, Usage, type UsageCount, type UsageDay, usesOf } from "./usage.ts";
export { type AuditReader, type AuditReport, type VerifyOptions, verifyAudit } from "./verify.ts";
