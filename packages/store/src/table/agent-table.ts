import { SkillError } from "@skillhold/protocol/error";
import type { AgentPage, AgentRecord } from "@skillhold/registry/record";
import { z } from "zod";
import type { Queries, Tx } from "../engine/db.ts";
import { fromJson } from "../engine/json-column.ts";
import { isStorable, joinSql, pageLimit, sql } from "../engine/sql.ts";

const columns = sql`uid, key, display_name, runtime, allow, pins, manifest, owner, created_at, updated_at,
  removed_at`;

/** Validated on read, because they decide what an agent may use. */
const Allow = z.array(z.string()).readonly();
const Pins = z.record(z.string(), z.int().min(1)).readonly();

const AgentRow = z
  .object({
    uid: z.string(),
    key: z.string(),
    display_name: z.string(),
    runtime: z.string(),
    allow: z.string().nullable(),
    pins: z.string(),
    manifest: z.string().nullable(),
    owner: z.string(),
    created_at: z.string(),
    updated_at: z.string(),
    removed_at: z.string().nullable(),
  })
  .transform(
    (row): AgentRecord => ({
      uid: row.uid,
      key: row.key,
      displayName: row.display_name,
      runtime: row.runtime,
      allow: row.allow === null ? undefined : Allow.parse(fromJson(row.allow)),
      pins: Pins.parse(fromJson(row.pins)),
      manifest: row.manifest ?? undefined,
      owner: row.owner,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      removedAt: row.removed_at ?? undefined,
    }),
  );

/** By key or uid, including removed agents. */
export async function selectAgent(db: Queries, keyOrUid: string): Promise<AgentRecord | undefined> {
  if (!isStorable(keyOrUid)) return undefined;
  // A key takes precedence over a uid.
  const query = sql`select ${columns} from agent where key = ${keyOrUid} or uid = ${keyOrUid}
    order by case when key = ${keyOrUid} then 0 else 1 end limit 1`;
  return (await db.all(query, AgentRow))[0];
}

/** Ordered by key, without removed agents; all, or one page. */
export async function selectAgents(
  db: Queries,
  { owner, after, limit }: AgentPage = {},
): Promise<readonly AgentRecord[]> {
  if (owner !== undefined && !isStorable(owner)) return [];
  const theirs = owner === undefined ? sql`` : sql` and owner = ${owner}`;
  const rest = after === undefined ? sql`` : sql` and key > ${after}`;
  const page = limit === undefined ? sql`` : sql` limit ${pageLimit(limit)}`;
  const query = sql`select ${columns} from agent where removed_at is null${theirs}${rest} order by key${page}`;
  return await db.all(query, AgentRow);
}

/** Inserts the agent or replaces the row with its uid. The key cannot change, so that it is never reused. */
export async function putAgent(tx: Tx, agent: AgentRecord): Promise<void> {
  const written = await tx.run(sql`insert into agent (${columns}) values (${joinSql(valuesOf(agent))})
    on conflict (uid) do update set display_name = excluded.display_name, runtime = excluded.runtime,
      allow = excluded.allow, pins = excluded.pins, manifest = excluded.manifest, owner = excluded.owner,
      created_at = excluded.created_at, updated_at = excluded.updated_at, removed_at = excluded.removed_at
    where agent.key = excluded.key`);
  if (written > 0) return;
  throw new SkillError("CONFLICT", `The key of an agent cannot be changed to ${agent.key}.`, {
    hint: "Add an agent with the new key, and grant it the same skills.",
    details: { uid: agent.uid, key: agent.key },
  });
}

function valuesOf(agent: AgentRecord) {
  return [
    agent.uid,
    agent.key,
    agent.displayName,
    agent.runtime,
    agent.allow === undefined ? null : JSON.stringify(Allow.parse(agent.allow)),
    JSON.stringify(Pins.parse(agent.pins)),
    agent.manifest ?? null,
    agent.owner,
    agent.createdAt,
    agent.updatedAt,
    agent.removedAt ?? null,
  ];
}
