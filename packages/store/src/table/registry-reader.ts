import type { RegistryReader } from "@skillhold/registry/record";
import type { Queries } from "../engine/db.ts";
import { selectUser, selectUsers } from "./account-table.ts";
import { selectAgent, selectAgents } from "./agent-table.ts";
import { selectApproval, selectApprovals } from "./approval-table.ts";
import { selectApprovers } from "./approver-table.ts";
import { selectHead } from "./audit-head-table.ts";
import { selectEval, selectEvals, selectSameEval } from "./eval-table.ts";
import {
  auditAfter,
  countUses,
  eventsAbout,
  eventsAfter,
  eventsOfSession,
  lastEvent,
  selectAuditKeys,
  selectEvents,
  selectLastPruned,
} from "./event-table.ts";
import {
  selectGrant,
  selectGrantPage,
  selectGrants,
  selectPendingGrant,
  selectPendingGrants,
} from "./grant-table.ts";
import { findGuardReport, listWaivers } from "./guard-table.ts";
import { selectIdentity, selectPasskey, selectPasskeys } from "./passkey-table.ts";
import { selectProposal, selectProposals } from "./proposal-table.ts";
import { selectRevision, selectRevisions } from "./revision-table.ts";
import { selectRunOutputs } from "./run-output-table.ts";
import {
  selectCurrent,
  selectDeleted,
  selectDependent,
  selectSkill,
  selectSkillRows,
} from "./skill-table.ts";
import { selectToggles } from "./toggle-table.ts";
import { selectToken, selectTokenPage, selectTokens } from "./token-table.ts";
import { selectTree, selectTrees } from "./tree-table.ts";
import {
  selectDeliveries,
  selectDelivery,
  selectPending,
  selectWebhook,
  selectWebhooks,
} from "./webhook-table.ts";
import { selectWorkspace, selectWorkspaces } from "./workspace-table.ts";

/** The read half of the registry store, outside or inside a transaction. */
export function readerOf(db: Queries): RegistryReader {
  return {
    findSkill: (idOrUid) => selectSkill(db, idOrUid),
    listSkills: (page) => selectSkillRows(db, page),
    listCurrent: (ids, page) => selectCurrent(db, ids, page),
    listDeleted: () => selectDeleted(db),
    listDependent: () => selectDependent(db),
    findRevision: (uid, revision) => selectRevision(db, uid, revision),
    listRevisions: (uid, page) => selectRevisions(db, uid, page),
    findTree: (hash) => selectTree(db, hash),
    listTrees: (page) => selectTrees(db, page),
    findAgent: (keyOrUid) => selectAgent(db, keyOrUid),
    listAgents: (page) => selectAgents(db, page),
    findUser: (name) => selectUser(db, name),
    listUsers: (page) => selectUsers(db, page),
    findPasskey: (idOrCredential) => selectPasskey(db, idOrCredential),
    findIdentity: (issuer, subject) => selectIdentity(db, issuer, subject),
    listPasskeys: (user) => selectPasskeys(db, user),
    listGrants: (uids) => selectGrants(db, uids),
    listGrantPage: (uid, page) => selectGrantPage(db, uid, page),
    findGrant: (uid, grantee) => selectGrant(db, uid, grantee),
    listApprovers: (uid) => selectApprovers(db, uid),
    listPendingGrants: (query) => selectPendingGrants(db, query),
    findPendingGrant: (uid, agent) => selectPendingGrant(db, uid, agent),
    listToggles: () => selectToggles(db),
    findToken: (hashOrId) => selectToken(db, hashOrId),
    listTokens: (kind) => selectTokens(db, kind),
    listTokenPage: (page) => selectTokenPage(db, page),
    findApproval: (key, now) => selectApproval(db, key, now),
    listApprovals: (now) => selectApprovals(db, now),
    findHead: () => selectHead(db),
    eventsAbout: (skill, type, limit) => eventsAbout(db, skill, type, limit),
    eventsOfSession: (session) => eventsOfSession(db, session),
    lastEvent: () => lastEvent(db),
    eventsAfter: (seq, limit) => eventsAfter(db, seq, limit),
    countUses: (from) => countUses(db, from),
    listEvents: (query) => selectEvents(db, query),
    auditAfter: (seq, limit) => auditAfter(db, seq, limit),
    auditKeys: () => selectAuditKeys(db),
    lastPruned: () => selectLastPruned(db),
    findGuardReport: (hash) => findGuardReport(db, hash),
    listWaivers: (id) => listWaivers(db, id),
    findWorkspace: (agent) => selectWorkspace(db, agent),
    listWorkspaces: () => selectWorkspaces(db),
    findEval: (id) => selectEval(db, id),
    listEvals: (uid, page) => selectEvals(db, uid, page),
    findSameEval: (uid, report) => selectSameEval(db, uid, report),
    findProposal: (id) => selectProposal(db, id),
    listProposals: (query) => selectProposals(db, query),
    listRunOutputs: (session) => selectRunOutputs(db, session),
    findWebhook: (id) => selectWebhook(db, id),
    listWebhooks: () => selectWebhooks(db),
    findDelivery: (id) => selectDelivery(db, id),
    listDeliveries: (page) => selectDeliveries(db, page),
    listPendingDeliveries: (webhook, limit) => selectPending(db, webhook, limit),
  };
}
