import type { Delivery, DeliveryPage, Webhook } from "@skillhold/registry/record";
import { z } from "zod";
import type { Queries, Tx } from "../engine/db.ts";
import { fromJson } from "../engine/json-column.ts";
import { isStorable, joinSql, pageLimit, type Sql, sql, timeText } from "../engine/sql.ts";

const WebhookRow = z.object({ body: z.string() }).transform(({ body }) => fromJson<Webhook>(body));
const DeliveryRow = z.object({ body: z.string() }).transform(({ body }) => fromJson<Delivery>(body));

export async function selectWebhook(db: Queries, id: string): Promise<Webhook | undefined> {
  if (!isStorable(id)) return undefined;
  return (await db.all(sql`select body from webhook where id = ${id}`, WebhookRow))[0];
}

/** Oldest first. */
export async function selectWebhooks(db: Queries): Promise<readonly Webhook[]> {
  return await db.all(sql`select body from webhook order by created_at, id`, WebhookRow);
}

/** Inserts the webhook or replaces the one with its id. */
export async function putWebhook(tx: Tx, webhook: Webhook): Promise<void> {
  const values = [webhook.id, timeText(webhook.createdAt), JSON.stringify(webhook)];
  await tx.run(sql`insert into webhook (id, created_at, body) values (${joinSql(values)})
    on conflict (id) do update set body = excluded.body`);
}

/** Removes a webhook with its deliveries. */
export async function deleteWebhook(tx: Tx, id: string): Promise<void> {
  await tx.run(sql`delete from webhook_delivery where webhook = ${id}`);
  await tx.run(sql`delete from webhook where id = ${id}`);
}

export async function selectDelivery(db: Queries, id: string): Promise<Delivery | undefined> {
  if (!isStorable(id)) return undefined;
  return (await db.all(sql`select body from webhook_delivery where id = ${id}`, DeliveryRow))[0];
}

/** Newest first. */
export async function selectDeliveries(
  db: Queries,
  { webhook, state, after, limit }: DeliveryPage,
): Promise<readonly Delivery[]> {
  if (!isStorable(webhook) || !isStorable(after?.id ?? "")) return [];
  const conditions: readonly Sql[] = [
    sql`webhook = ${webhook}`,
    ...(state === undefined ? [] : [sql`state = ${state}`]),
    ...(after === undefined ? [] : [sql`(created_at, id) < (${timeText(after.createdAt)}, ${after.id})`]),
  ];
  return await db.all(
    sql`select body from webhook_delivery where ${joinSql(conditions, " and ")}
      order by created_at desc, id desc limit ${pageLimit(limit)}`,
    DeliveryRow,
  );
}

/** Pending deliveries of a webhook, the earliest due time first. */
export async function selectPending(
  db: Queries,
  webhook: string,
  limit: number,
): Promise<readonly Delivery[]> {
  return await db.all(
    sql`select body from webhook_delivery where webhook = ${webhook} and state = 'pending'
      order by due_at, id limit ${pageLimit(limit)}`,
    DeliveryRow,
  );
}

/** Inserts the delivery or replaces the one with its id. */
export async function putDelivery(tx: Tx, delivery: Delivery): Promise<void> {
  const { id, webhook, state, dueAt, createdAt } = delivery;
  const values = [id, webhook, state, timeText(dueAt), timeText(createdAt), JSON.stringify(delivery)];
  await tx.run(sql`insert into webhook_delivery (id, webhook, state, due_at, created_at, body)
    values (${joinSql(values)})
    on conflict (id) do update set state = excluded.state, due_at = excluded.due_at, body = excluded.body`);
}

/** Removes all but the newest deliveries of a webhook. Pending ones stay. */
export async function trimDeliveries(tx: Tx, webhook: string, keep: number): Promise<void> {
  await tx.run(sql`delete from webhook_delivery where webhook = ${webhook} and state <> 'pending' and id not in (
    select id from webhook_delivery where webhook = ${webhook} order by created_at desc, id desc limit ${keep})`);
}
