import { type KeySource, type SecretPlace, seal, unseal } from "@skillhold/core/secret";
import type { Actor, SkillEvent, WebhookTopic } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { isAgentActor } from "../ownership/ownership.ts";
import { WEBHOOKS } from "../record/lock.ts";
import type { RegistryContext } from "../record/registry-context.ts";
import type { RegistryTransaction } from "../record/registry-store.ts";
import type { Delivery, Webhook } from "../record/webhook.ts";
import { type Notice, testNotice } from "./notice.ts";
import { restart } from "./retry.ts";
import { newWebhookSecret } from "./signature.ts";

export interface NewWebhook {
  readonly name: string;
  readonly url: string;
  readonly topics: readonly WebhookTopic[];
}

type Changed = Extract<SkillEvent, { readonly type: "webhook.changed" }>["change"];

/** Adds a webhook for events from now on. The secret is returned once and stored sealed. */
export async function addWebhook(
  { name, url, topics }: NewWebhook,
  { by, keys }: { readonly by: Actor; readonly keys: KeySource },
  context: RegistryContext,
): Promise<{ readonly webhook: Webhook; readonly secret: string }> {
  const { store, clock, ids, limits } = context;
  rejectOthers(by);
  const address = checkAddress(url);
  const id = ids.next();
  const secret = newWebhookSecret();
  const sealed = sealSecret(id, secret, await keys.key());
  const webhook = await store.transaction(async (tx) => {
    await tx.lock(WEBHOOKS);
    const { length } = await tx.listWebhooks();
    if (length >= limits.webhooks)
      throw new SkillError("LIMIT_EXCEEDED", `There are ${length} webhooks (limit webhooks).`, {
        hint: "Remove one of them first.",
        details: { limit: "webhooks", max: limits.webhooks },
      });
    const added: Webhook = {
      ...{ id, name, url: address, topics: [...new Set(topics)], isEnabled: true, sealed },
      cursor: await tx.lastEvent(),
      ...{ createdBy: by.user, createdAt: clock.now().toISOString() },
    };
    await tx.putWebhook(added);
    await recordChange(added, "added", by, tx, context);
    return added;
  });
  return { webhook, secret };
}

export async function removeWebhook(id: string, by: Actor, context: RegistryContext): Promise<Webhook> {
  return await withWebhook(id, by, context, async (webhook, tx) => {
    await tx.removeWebhook(id);
    await recordChange(webhook, "removed", by, tx, context);
    return webhook;
  });
}

/** Pauses or resumes a webhook. Deliveries of events meanwhile are sent when it is enabled again. */
export async function enableWebhook(
  id: string,
  isEnabled: boolean,
  by: Actor,
  context: RegistryContext,
): Promise<Webhook> {
  return await withWebhook(id, by, context, async (webhook, tx) => {
    if (webhook.isEnabled === isEnabled) return webhook;
    const changed = { ...webhook, isEnabled };
    await tx.putWebhook(changed);
    await recordChange(changed, isEnabled ? "enabled" : "disabled", by, tx, context);
    return changed;
  });
}

/** Throws WEBHOOK_NOT_FOUND. */
export async function getWebhook(id: string, { store }: RegistryContext): Promise<Webhook> {
  const webhook = await store.findWebhook(id);
  if (webhook === undefined) throw notFound(id);
  return webhook;
}

/** Queues a delivery that shows whether the receiver accepts notifications. */
export async function testWebhook(id: string, by: Actor, context: RegistryContext): Promise<Delivery> {
  const { clock, ids } = context;
  return await withWebhook(id, by, context, async (webhook, tx) => {
    const at = clock.now().toISOString();
    const notice = testNotice(webhook.name, at);
    const delivery = newDelivery(ids.next(), webhook, notice, at);
    await tx.putDelivery(delivery);
    return delivery;
  });
}

/** Sends a delivery again, under the same id. */
export async function redeliver(
  id: string,
  { webhook: owner, by }: { readonly webhook: string; readonly by: Actor },
  context: RegistryContext,
): Promise<Delivery> {
  return await withWebhook(owner, by, context, async (_, tx) => {
    const delivery = await tx.findDelivery(id);
    if (delivery?.webhook !== owner)
      throw new SkillError("WEBHOOK_NOT_FOUND", `The webhook has no delivery ${id.slice(0, 80)}.`, {
        hint: "List its deliveries. Old ones are deleted.",
      });
    const again = restart(delivery, context.clock.now());
    await tx.putDelivery(again);
    return again;
  });
}

export function newDelivery(id: string, { id: webhook }: Webhook, notice: Notice, at: string): Delivery {
  const { type } = notice;
  const body = JSON.stringify(notice);
  const times = { dueAt: at, createdAt: at, updatedAt: at };
  return { id, webhook, type, body, state: "pending", attempts: 0, ...times };
}

export function sealSecret(id: string, secret: string, key: Uint8Array): string {
  return Buffer.from(seal(secret, placeOf(id), key)).toString("base64");
}

/** The signing secret. Throws SECRET_UNREADABLE if another machine sealed it. */
export function secretOf({ id, sealed }: Webhook, key: Uint8Array): string {
  return unseal(Buffer.from(sealed, "base64"), placeOf(id), key);
}

/** No skill has this id, so a secret of a skill never opens here. */
function placeOf(id: string): SecretPlace {
  return { skill: "@webhook", name: id };
}

async function withWebhook<T>(
  id: string,
  by: Actor,
  { store }: RegistryContext,
  work: (webhook: Webhook, tx: RegistryTransaction) => Promise<T>,
): Promise<T> {
  rejectOthers(by);
  return await store.transaction(async (tx) => {
    await tx.lock(WEBHOOKS);
    const webhook = await tx.findWebhook(id);
    if (webhook === undefined) throw notFound(id);
    return await work(webhook, tx);
  });
}

export async function recordChange(
  { id: webhook, name }: Webhook,
  change: Changed,
  by: Actor,
  tx: RegistryTransaction,
  { clock }: RegistryContext,
): Promise<void> {
  await tx.append({ type: "webhook.changed", at: clock.now().toISOString(), by, webhook, name, change });
}

function rejectOthers(by: Actor): void {
  if (!isAgentActor(by) && (by.role === "admin" || by.role === "system")) return;
  throw new SkillError("FORBIDDEN", "Only a person who is an administrator can change webhooks.");
}

/** The sender checks the address of the host with every attempt. */
export function checkAddress(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hash !== "")
    throw new SkillError("USAGE", "The address of a webhook is an https URL without a fragment.");
  if (url.username === "" && url.password === "") return url.href;
  throw new SkillError("USAGE", "The address of a webhook has a user name or a password.", {
    hint: "Leave them out. Receivers verify the signature.",
  });
}

function notFound(id: string): SkillError {
  return new SkillError("WEBHOOK_NOT_FOUND", `There is no webhook ${id.slice(0, 80)}.`, {
    details: { webhook: id.slice(0, 80) },
  });
}
