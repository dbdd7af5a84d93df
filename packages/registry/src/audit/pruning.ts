import { setImmediate } from "node:timers/promises";
import { type Actor, SkillEvent } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { isAgentActor, systemActor } from "../ownership/ownership.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import type { AuditRow, PrunePlan, SeqRange } from "../record/registry-store.ts";
import { CHAIN_START, chainHash } from "./chain.ts";

/** The entries that one transaction looks at. Larger batches would block other writers of the store. */
export const PRUNE_BATCH = 1000;
const DAY_MS = 86_400_000;

/**
 * Records of use lose their texts. Records of changes and decisions stay: the registry reads them, and they answer who
 * published, granted or approved something.
 */
const retention: Readonly<Record<SkillEvent["type"], "keep" | "prune">> = {
  "session.opened": "prune",
  "session.closed": "prune",
  "skill.discovered": "prune",
  "skill.shadowed": "prune",
  "skill.activated": "prune",
  "skill.deactivated": "prune",
  "skill.resource_read": "prune",
  "skill.served": "prune",
  "skill.denied": "prune",
  "run.requested": "prune",
  "run.approved": "prune",
  "skill.script_executed": "prune",
  "skill.tool_called": "prune",
  "approval.asked": "prune",
  "approval.answered": "prune",
  "approval.used": "prune",
  "workspace.status_changed": "prune",
  "workspace.task_changed": "prune",
  "workspace.activity": "prune",
  "approval.granted": "keep",
  "approval.denied": "keep",
  "approval.revoked": "keep",
  "secret.set": "keep",
  "secret.removed": "keep",
  "skill.deps_installed": "keep",
  "skill.published": "keep",
  "skill.rolled_back": "keep",
  "skill.deleted": "keep",
  "skill.restored": "keep",
  "skill.purged": "keep",
  "skill.edited": "keep",
  "skill.status_changed": "keep",
  "skill.toggled": "keep",
  "skill.approvers_changed": "keep",
  "grant.given": "keep",
  "grant.requested": "keep",
  "grant.declined": "keep",
  "grant.revoked": "keep",
  "agent.added": "keep",
  "agent.changed": "keep",
  "agent.removed": "keep",
  "token.issued": "keep",
  "token.revoked": "keep",
  "passkey.added": "keep",
  "passkey.removed": "keep",
  "identity.linked": "keep",
  "user.changed": "keep",
  "audit.key_changed": "keep",
  "audit.pruned": "keep",
  "guard.blocked": "keep",
  "guard.waived": "keep",
  "guard.rescanned": "keep",
  "eval.recorded": "keep",
  "workspace.changed": "keep",
  "webhook.changed": "keep",
  "workspace.card_updated": "keep",
  "proposal.created": "keep",
  "proposal.reviewed": "keep",
  "proposal.withdrawn": "keep",
  "proposal.stale": "keep",
  "proposal.rebased": "keep",
  "proposal.applied": "keep",
};
const prunable: ReadonlySet<string> = new Set(
  Object.entries(retention).flatMap(([type, rule]) => (rule === "prune" ? [type] : [])),
);

/** A pruned entry has its number and its hash, and no other value. */
export function isPruned(row: AuditRow): boolean {
  const { at, type, skill, session, body } = row;
  return body === "" && at === "" && type === "" && skill === undefined && session === undefined;
}

/**
 * The due entries of one batch. Times may jump, so the first entry that is not old ends the plan, and an entry from the
 * future is as old as the next one.
 */
export function planPruning(
  rows: readonly AuditRow[],
  { before, now }: { readonly before: string; readonly now: string },
): PrunePlan {
  const end = rows.findIndex(({ at }) => at >= before && at <= now);
  const isOver = end !== -1 || rows.length < PRUNE_BATCH;
  const lastOld = rows.slice(0, end === -1 ? rows.length : end).findLastIndex(({ at }) => at < before);
  const ranges: { first: number; last: number }[] = [];
  let count = 0;
  for (const { seq, type } of rows.slice(0, lastOld + 1)) {
    if (!prunable.has(type)) continue;
    count += 1;
    const range = ranges.at(-1);
    if (range?.last === seq - 1) range.last = seq;
    else ranges.push({ first: seq, last: seq });
  }
  return { ranges, count, next: isOver ? undefined : rows[lastOld]?.seq };
}

/** Throws if an entry is damaged: pruning would remove the evidence. `previous` is the hash before the first one. */
export function rejectDamaged(rows: readonly AuditRow[], previous = CHAIN_START): void {
  let hash = previous;
  for (const row of rows) {
    if (!isPruned(row) && row.hash !== chainHash(hash, row.body))
      throw new SkillError("INTEGRITY_FAILED", `Entry ${row.seq} of the audit log was changed.`, {
        hint: "Run `skillhold audit verify`. A damaged log cannot be pruned.",
        details: { seq: row.seq },
      });
    hash = row.hash;
  }
}

/** Compares pruned entries with the ranges that the log records. */
export class PrunedEntries {
  readonly #pruned: { first: number; last: number }[] = [];
  readonly #recorded: SeqRange[] = [];

  /** Notes an entry, and returns whether it is pruned. Entries come in order. */
  add(row: AuditRow): boolean {
    if (isPruned(row)) {
      const range = this.#pruned.at(-1);
      if (range?.last === row.seq - 1) range.last = row.seq;
      else this.#pruned.push({ first: row.seq, last: row.seq });
      return true;
    }
    // A record covers only entries before it, which no later change of the log can extend.
    this.#recorded.push(...rangesOf(row.body).filter(({ last }) => last < row.seq));
    return false;
  }

  /** The pruned entries that no range covers. */
  unrecorded(): readonly SeqRange[] {
    const recorded = this.#recorded.toSorted((one, other) => one.first - other.first);
    const found: SeqRange[] = [];
    let next = 0;
    for (const { first, last } of this.#pruned) {
      let from = first;
      for (; next < recorded.length && from <= last; next += 1) {
        const range = recorded[next];
        if (range === undefined || range.first > last) break;
        if (range.first > from) found.push({ first: from, last: range.first - 1 });
        from = Math.max(from, range.last + 1);
        // The range may go on beyond these entries.
        if (range.last > last) break;
      }
      if (from <= last) found.push({ first: from, last });
    }
    return found;
  }
}

/** Parses only the rare entries that can record a pruning. */
function rangesOf(body: string): readonly SeqRange[] {
  if (!body.includes('"audit.pruned"')) return [];
  try {
    const event = SkillEvent.safeParse(JSON.parse(body)).data;
    return event?.type === "audit.pruned" ? event.ranges : [];
  } catch {
    // Verification reports a body that is not JSON.
    return [];
  }
}

export interface PruneOptions {
  /** By default the system, by the rule of an operator. */
  readonly by?: Actor;
  /** Entries of the last days stay. */
  readonly days: number;
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
}

export interface Pruned {
  readonly count: number;
  /** Entries older than this were pruned. */
  readonly before: string;
}

/**
 * Removes the texts of old records of use, in batches: other writers wait for one batch at most, and a killed process
 * leaves a log that verifies.
 */
export async function pruneAudit(
  { by = systemActor, days, dryRun = false, signal }: PruneOptions,
  { store, clock, limits }: Pick<RegistryContext, "store" | "clock" | "limits">,
): Promise<Pruned> {
  rejectOthers(by);
  const now = clock.now();
  // Open questions and their answers are read from the log.
  const age = Math.max(checkDays(days) * DAY_MS, limits.approvalOpenMs + limits.approvalMs);
  const before = new Date(now.getTime() - age).toISOString();
  const step = { before, at: now.toISOString(), by };
  let count = 0;
  for (let after: number | undefined = await store.lastPruned(); after !== undefined; ) {
    signal?.throwIfAborted();
    const from: number = after;
    const plan: PrunePlan = dryRun
      ? planPruning(await store.auditAfter(from, PRUNE_BATCH), { before, now: step.at })
      : await store.transaction((tx) => tx.pruneLog({ ...step, after: from }));
    count += plan.count;
    after = plan.next;
    // Other writers come first.
    await setImmediate();
  }
  return { count, before };
}

function checkDays(days: number): number {
  if (Number.isFinite(days) && days >= 1) return days;
  throw new SkillError("USAGE", `The audit log is kept for at least one day, not ${days}.`);
}

function rejectOthers(by: Actor): void {
  if (!isAgentActor(by) && (by.role === "admin" || by.role === "system")) return;
  throw new SkillError("POLICY_DENIED", "Only administrators can prune the audit log.", {
    hint: "Ask an administrator.",
  });
}
