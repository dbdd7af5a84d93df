import { Digest } from "@skillhold/protocol";
import type { WorkspaceRecord } from "@skillhold/registry/record";
import { z } from "zod";
import type { Queries, Tx } from "../engine/db.ts";
import { fromJson } from "../engine/json-column.ts";
import { isStorable, joinSql, sql, toStorable } from "../engine/sql.ts";

const columns = sql`agent, parent, url, card, card_hash, card_at, status, task, health, heartbeat_at, created_at,
  updated_at`;

const Health = z.object({
  errorRate: z.number(),
  sampleError: z.string(),
  activeTasks: z.int(),
  uptimeSeconds: z.int(),
  pushes: z
    .array(z.object({ url: z.string(), at: z.string(), ok: z.boolean(), message: z.string() }))
    .readonly(),
});

const WorkspaceRow = z
  .object({
    agent: z.string(),
    parent: z.string().nullable(),
    url: z.string().nullable(),
    card: z.string().nullable(),
    card_hash: Digest.nullable(),
    card_at: z.string().nullable(),
    status: z.enum(["new", "online", "degraded", "offline"]),
    task: z.string(),
    health: z.string(),
    heartbeat_at: z.string().nullable(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .transform(
    (row): WorkspaceRecord => ({
      agent: row.agent,
      parent: row.parent ?? undefined,
      url: row.url ?? undefined,
      card: row.card ?? undefined,
      cardHash: row.card_hash ?? undefined,
      cardAt: row.card_at ?? undefined,
      status: row.status,
      task: row.task,
      health: Health.parse(fromJson(row.health)),
      heartbeatAt: row.heartbeat_at ?? undefined,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
    }),
  );

export async function selectWorkspace(db: Queries, agent: string): Promise<WorkspaceRecord | undefined> {
  if (!isStorable(agent)) return undefined;
  return (await db.all(sql`select ${columns} from workspace where agent = ${agent}`, WorkspaceRow))[0];
}

/** Ordered by key, including those of removed agents. */
export async function selectWorkspaces(db: Queries): Promise<readonly WorkspaceRecord[]> {
  return await db.all(sql`select ${columns} from workspace order by agent`, WorkspaceRow);
}

/** Inserts the workspace or replaces the row of its agent. */
export async function putWorkspace(tx: Tx, workspace: WorkspaceRecord): Promise<void> {
  await tx.run(sql`insert into workspace (${columns}) values (${joinSql(valuesOf(workspace))})
    on conflict (agent) do update set parent = excluded.parent, url = excluded.url, card = excluded.card,
      card_hash = excluded.card_hash, card_at = excluded.card_at, status = excluded.status, task = excluded.task,
      health = excluded.health, heartbeat_at = excluded.heartbeat_at, updated_at = excluded.updated_at`);
}

function valuesOf(workspace: WorkspaceRecord) {
  return [
    workspace.agent,
    workspace.parent ?? null,
    workspace.url ?? null,
    workspace.card ?? null,
    workspace.cardHash ?? null,
    workspace.cardAt ?? null,
    workspace.status,
    toStorable(workspace.task),
    JSON.stringify(workspace.health),
    workspace.heartbeatAt ?? null,
    workspace.createdAt,
    workspace.updatedAt,
  ];
}
