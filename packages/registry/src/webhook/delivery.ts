import { WEBHOOKS } from "../record/lock.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import type { RegistryTransaction, StoredEvent } from "../record/registry-store.ts";
import type { Delivery, Webhook } from "../record/webhook.ts";
import { isNoticed, noticedTypes, noticeOf, topicsOf } from "./notice.ts";
import { type AttemptResult, endAttempt, isDue, type RetryRules, startAttempt } from "./retry.ts";
import { newDelivery } from "./webhooks.ts";

const PAGE = 200;

/**
 * Makes the deliveries of all events that have none yet. The events of the log and the cursor of each webhook decide, so
 * a crash loses no event, and several gateways make each delivery once.
 */
export async function queueDeliveries(address: string | undefined, context: RegistryContext): Promise<void> {
  for (const { id } of (await context.store.listWebhooks()).filter(({ isEnabled }) => isEnabled))
    while (await queuePage(id, address, context));
}

/** Returns whether there may be more events. */
async function queuePage(
  id: string,
  address: string | undefined,
  context: RegistryContext,
): Promise<boolean> {
  const { store, limits } = context;
  const seen = await store.findWebhook(id);
  // Most commits concern no webhook, and a read does not wait for other writers.
  if (seen === undefined || (await unread(seen, 1, store)).length === 0) return false;
  return await store.transaction(async (tx) => {
    await tx.lock(WEBHOOKS);
    const webhook = await tx.findWebhook(id);
    if (webhook === undefined || !webhook.isEnabled) return false;
    const pending = await tx.listPendingDeliveries(id, limits.webhookDeliveries);
    // The log keeps the events that have to wait, so the deliveries are bounded and no event is lost.
    const room = Math.min(PAGE, limits.webhookDeliveries - pending.length);
    if (room <= 0) return false;
    const events = await unread(webhook, room, tx);
    for (const stored of events) await queueEvent(stored, webhook, address, tx, context);
    const last = events.at(-1);
    if (last !== undefined) await tx.putWebhook({ ...webhook, cursor: last.seq });
    await tx.trimDeliveries(id, limits.webhookDeliveries);
    return events.length === room;
  });
}

async function unread(
  { cursor: after }: Webhook,
  limit: number,
  reader: Pick<RegistryTransaction, "listEvents">,
): Promise<readonly StoredEvent[]> {
  return await reader.listEvents({ after, order: "oldest", types: noticedTypes, limit });
}

async function queueEvent(
  { event }: StoredEvent,
  webhook: Webhook,
  address: string | undefined,
  tx: RegistryTransaction,
  { clock, ids }: RegistryContext,
): Promise<void> {
  if (!isNoticed(event)) return;
  const proposal = "proposal" in event ? await tx.findProposal(event.proposal) : undefined;
  if (!topicsOf(event, proposal).some((topic) => webhook.topics.includes(topic))) return;
  const at = clock.now().toISOString();
  await tx.putDelivery(newDelivery(ids.next(), webhook, noticeOf(event, address), at));
}

export interface ClaimOptions {
  readonly leaseMs: number;
  readonly limit: number;
}

/** Starts attempts of deliveries that are due. Each is started by one process. */
export async function claimDeliveries(
  { id }: Webhook,
  { leaseMs, limit }: ClaimOptions,
  { store, clock, limits }: RegistryContext,
): Promise<readonly Delivery[]> {
  const isWaiting = (delivery: Delivery) => isDue(delivery, clock.now());
  if (!(await store.listPendingDeliveries(id, 1)).some(isWaiting)) return [];
  return await store.transaction(async (tx) => {
    await tx.lock(WEBHOOKS);
    const rules = { now: clock.now(), maxAttempts: limits.webhookAttempts };
    const due = (await tx.listPendingDeliveries(id, limit)).filter(isWaiting);
    const started = due.map((delivery) => startAttempt(delivery, leaseMs, rules));
    for (const delivery of started) await tx.putDelivery(delivery);
    return started.filter(({ state }) => state === "pending");
  });
}

/** Records the result of an attempt, unless a later attempt has started. */
export async function settleDelivery(
  { id, attempts }: Delivery,
  attempt: AttemptResult,
  random: RetryRules["random"],
  { store, clock, limits }: RegistryContext,
): Promise<Delivery | undefined> {
  return await store.transaction(async (tx) => {
    await tx.lock(WEBHOOKS);
    const delivery = await tx.findDelivery(id);
    if (delivery?.state !== "pending" || delivery.attempts !== attempts) return undefined;
    const rules = { now: clock.now(), maxAttempts: limits.webhookAttempts, random };
    const settled = endAttempt(delivery, attempt, rules);
    await tx.putDelivery(settled);
    return settled;
  });
}
