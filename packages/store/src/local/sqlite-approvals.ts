import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import type { Approval, ApprovalStore } from "@skillhold/core/approval";
import { fromJson } from "../engine/json-column.ts";
import { attemptState } from "./sqlite-state.ts";

/**
 * The most that clocks on one machine may differ. A later approval was given before the clock was set back.
 */
const TOLERANCE_MS = 60_000;

/** Approvals in the state file. All processes share them and see a revocation at once. */
export class SqliteApprovals implements ApprovalStore {
  readonly #database: DatabaseSync;

  /** Contract: opened by `openStateDatabase`. */
  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  async find(key: Approval["key"], now: Date): Promise<Approval | undefined> {
    const sql = "select * from approval where key = ? and expires_ms > ? and at_ms <= ?";
    const ms = now.getTime();
    const row = this.#attempt(() => this.#database.prepare(sql).get(key, ms, ms + TOLERANCE_MS));
    return row === undefined ? undefined : toApproval(row);
  }

  async list(now: Date): Promise<readonly Approval[]> {
    const sql = "select * from approval where expires_ms > ? and at_ms <= ? order by at_ms, id";
    const ms = now.getTime();
    return this.#attempt(() => this.#database.prepare(sql).all(ms, ms + TOLERANCE_MS)).map(toApproval);
  }

  async add(approval: Approval): Promise<void> {
    const { id, key, skill, treeHash, act, target, requester, widen, by } = approval;
    const covers = JSON.stringify({ requester, widen });
    const at = Date.parse(approval.at);
    const expires = Date.parse(approval.expiresAt);
    this.#attempt(() => {
      this.#database.prepare("delete from approval where expires_ms <= ?").run(at);
      this.#database
        .prepare(
          `insert into approval (id, key, skill, tree_hash, act, target, covers, approver, at_ms, expires_ms)
           values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
           on conflict (key) do update set id = excluded.id, covers = excluded.covers, approver = excluded.approver,
             at_ms = excluded.at_ms, expires_ms = excluded.expires_ms`,
        )
        .run(id, key, skill, treeHash, act, target, covers, by, at, expires);
    });
  }

  async remove(id: string): Promise<boolean> {
    const result = this.#attempt(() => this.#database.prepare("delete from approval where id = ?").run(id));
    return Number(result.changes) > 0;
  }

  #attempt<T>(work: () => T): T {
    return attemptState(this.#database.location() ?? "memory", work);
  }
}

function toApproval(row: Readonly<Record<string, SQLOutputValue>>): Approval {
  const { id, key, skill, tree_hash: treeHash, act, target, approver: by } = row;
  const { requester, widen } = fromJson<Pick<Approval, "requester" | "widen">>(String(row["covers"]));
  const at = new Date(Number(row["at_ms"])).toISOString();
  const expiresAt = new Date(Number(row["expires_ms"])).toISOString();
  // Only `add` writes rows, with each column from the matching field of an approval.
  return { id, key, skill, treeHash, act, target, requester, widen, by, at, expiresAt } as Approval;
}
