import { SkillError } from "@skillhold/protocol/error";
import type { Delivery, RegistryContext, Webhook } from "@skillhold/registry/record";
import {
  addWebhook,
  enableWebhook,
  getWebhook,
  redeliver,
  removeWebhook,
  testWebhook,
} from "@skillhold/registry/webhook";
import { z } from "zod";
import { principalActor } from "../auth/principal.ts";
import type { Handlers } from "../http/handler.ts";
import { readPage } from "./page.ts";

type WebhookOperation =
  | "listWebhooks"
  | "addWebhook"
  | "changeWebhook"
  | "removeWebhook"
  | "testWebhook"
  | "listDeliveries"
  | "redeliver";

export const webhookHandlers: Pick<Handlers, WebhookOperation> = {
  listWebhooks: async (_, { registry }) => {
    const webhooks = await registry.store.listWebhooks();
    return { data: { webhooks: await Promise.all(webhooks.map((each) => viewOf(each, registry))) } };
  },
  addWebhook: async ({ body, principal }, { registry, webhooks }) => {
    if (webhooks === undefined)
      throw new SkillError("POLICY_DENIED", "This gateway sends no notifications.", {
        hint: "Add the webhook at a gateway that `skillhold serve` runs.",
      });
    const by = principalActor(principal);
    const { name, url, topics = ["proposals", "approvals", "promotions"] } = body;
    const { webhook, secret } = await addWebhook(
      { name, url, topics },
      { by, keys: webhooks.keys },
      registry,
    );
    const data = { webhook: await viewOf(webhook, registry), secret };
    return { data, headers: { "cache-control": "no-store" } };
  },
  changeWebhook: async ({ params, body, principal }, { registry }) => {
    const by = principalActor(principal);
    const webhook = await enableWebhook(params.webhook, body.isEnabled, by, registry);
    return { data: await viewOf(webhook, registry) };
  },
  removeWebhook: async ({ params, principal }, { registry }) => {
    await removeWebhook(params.webhook, principalActor(principal), registry);
    return {};
  },
  testWebhook: async ({ params, principal }, { registry }) => {
    return { data: deliveryView(await testWebhook(params.webhook, principalActor(principal), registry)) };
  },
  listDeliveries: async ({ params, query }, { registry }) => {
    const { id: webhook } = await getWebhook(params.webhook, registry);
    const { state } = query;
    const { rows, next } = await readPage(query, {
      position: z.object({ createdAt: z.iso.datetime(), id: z.string() }),
      positionOf: ({ createdAt, id }: Delivery) => ({ createdAt, id }),
      list: (after, limit) => registry.store.listDeliveries({ webhook, state, after, limit }),
    });
    return { data: { deliveries: rows.map(deliveryView), ...next } };
  },
  redeliver: async ({ params, principal }, { registry }) => {
    const { delivery, webhook } = params;
    const again = await redeliver(delivery, { webhook, by: principalActor(principal) }, registry);
    return { data: deliveryView(again) };
  },
};

async function viewOf({ sealed: _, cursor: __, ...webhook }: Webhook, { store }: RegistryContext) {
  const [last] = await store.listDeliveries({ webhook: webhook.id, limit: 1 });
  if (last === undefined) return webhook;
  const { state, updatedAt: at, status, error } = last;
  return { ...webhook, last: { state, at, status, error } };
}

function deliveryView({ webhook: _, dueAt, ...delivery }: Delivery) {
  return delivery.state === "pending" ? { ...delivery, dueAt } : delivery;
}
