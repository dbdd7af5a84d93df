import { SkillError } from "@skillhold/protocol/error";
import type { GuardedAppend } from "@skillhold/registry/audit";
import type { RegistryTransaction } from "@skillhold/registry/record";
import type { EngineBlobs } from "../blob/blob.ts";
import type { Tx } from "../engine/db.ts";
import { putUser, setUser } from "./account-table.ts";
import { putAgent } from "./agent-table.ts";
import { putApproval, removeApproval } from "./approval-table.ts";
import { putApprovers } from "./approver-table.ts";
import { putEval, removeEvals, trimEvals } from "./eval-table.ts";
import { adoptLog, appendAll, changeKey, checkLog, pruneLog, type Writer } from "./event-log.ts";
import { putGrant, putPendingGrant, removeGrant, removePendingGrant } from "./grant-table.ts";
import { putGuardReport, putWaiver } from "./guard-table.ts";
import { insertIdentity, putAttempt, putPasskey, removePasskey, takeAttempt } from "./passkey-table.ts";
import { putProposal } from "./proposal-table.ts";
import { readerOf } from "./registry-reader.ts";
import { insertRevision, markPurged } from "./revision-table.ts";
import { deleteRunOutputs, putRunOutput } from "./run-output-table.ts";
import type { ActorLookup } from "./session-actor.ts";
import { putSkill } from "./skill-table.ts";
import { putToggle } from "./toggle-table.ts";
import { extendSession, forgetExpired, putToken } from "./token-table.ts";
import { putTree, removeTrees } from "./tree-table.ts";
import { deleteWebhook, putDelivery, putWebhook, trimDeliveries } from "./webhook-table.ts";
import { putWorkspace } from "./workspace-table.ts";

/** The registry as one transaction sees and changes it. */
export function transactionOf(
  tx: Tx,
  blobs: EngineBlobs,
  writer: Writer,
  sessions: ActorLookup,
): RegistryTransaction {
  return {
    ...readerOf(tx),
    blobs: blobs.within(tx),
    lock: (name, use) => tx.lock(name, use),
    putSkill: (skill) => putSkill(tx, skill),
    insertRevision: (revision) => insertRevision(tx, revision),
    markPurged: (uid, revision, at) => markPurged(tx, uid, revision, at),
    putTree: (hash, files) => putTree(tx, hash, files),
    putGuardReport: (hash, report, at) => putGuardReport(tx, hash, report, at),
    putWaiver: (id, waiver) => putWaiver(tx, id, waiver),
    putEval: (result) => putEval(tx, result),
    trimEvals: (uid, keep) => trimEvals(tx, uid, keep),
    removeEvals: (uid, treeHash) => removeEvals(tx, uid, treeHash),
    putProposal: (proposal) => putProposal(tx, proposal),
    putWebhook: (webhook) => putWebhook(tx, webhook),
    removeWebhook: (id) => deleteWebhook(tx, id),
    putDelivery: (delivery) => putDelivery(tx, delivery),
    trimDeliveries: (webhook, keep) => trimDeliveries(tx, webhook, keep),
    removeTrees: (hashes) => removeTrees(tx, hashes),
    putAgent: (agent) => putAgent(tx, agent),
    putUser: (user) => putUser(tx, user),
    setUser: (user) => setUser(tx, user),
    putPasskey: (passkey) => putPasskey(tx, passkey),
    insertIdentity: (identity) => insertIdentity(tx, identity),
    removePasskey: (id) => removePasskey(tx, id),
    putAttempt: (attempt, bounds) => putAttempt(tx, attempt, bounds),
    takeAttempt: (id) => takeAttempt(tx, id),
    putGrant: (grant) => putGrant(tx, grant),
    removeGrant: (uid, grantee) => removeGrant(tx, uid, grantee),
    putApprovers: (uid, users) => putApprovers(tx, uid, users),
    putPendingGrant: (grant) => putPendingGrant(tx, grant),
    removePendingGrant: (uid, agent) => removePendingGrant(tx, uid, agent),
    putToggle: (toggle) => putToggle(tx, toggle),
    putToken: (token) => putToken(tx, token),
    putApproval: (approval) => putApproval(tx, approval),
    removeApproval: (id) => removeApproval(tx, id),
    putWorkspace: (workspace) => putWorkspace(tx, workspace),
    extendSession: (id, expiresAt, now) => extendSession(tx, id, expiresAt, now),
    putRunOutput: (output) => putRunOutput(tx, output),
    pruneRunOutputs: (before) => deleteRunOutputs(tx, before),
    forgetExpired: (now) => forgetExpired(tx, now),
    append: (event) => appendAll(tx, [event], writer, sessions),
    appendAll: (events) => appendAll(tx, events, writer, sessions),
    pruneLog: (step) => pruneLog(tx, step, writer, sessions),
    changeAuditKey: (change) => changeKey(tx, change, required(writer)),
    adoptLog: (at) => adoptLog(tx, at, required(writer)),
    checkLog: () => checkLog(tx, writer),
  };
}

function required(writer: Writer): GuardedAppend {
  if (typeof writer === "object") return writer;
  throw new SkillError("CONFIG_INVALID", "The keys of the audit log cannot be changed without a signer.", {
    hint: "Open the store with a signer.",
  });
}
