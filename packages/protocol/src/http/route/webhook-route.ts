import { z } from "zod";
import { DeliveryState, WebhookTopic } from "../../webhook.ts";
import { At, Name, nextCursor, paging } from "../field.ts";
import { admins, route } from "../route.ts";

const byWebhook = z.strictObject({ webhook: z.uuid() });
const missing = ["WEBHOOK_NOT_FOUND"] as const;

export const WebhookView = z.object({
  id: z.string(),
  name: z.string(),
  url: z.string(),
  topics: z.array(WebhookTopic).readonly(),
  isEnabled: z.boolean(),
  createdBy: z.string(),
  createdAt: At,
  last: z
    .object({ state: DeliveryState, at: At, status: z.int().optional(), error: z.string().optional() })
    .optional()
    .describe("The latest delivery."),
});

export const DeliveryView = z.object({
  id: z.string().describe("Sent as `webhook-id`; the same for every attempt."),
  type: z.string(),
  body: z.string().describe("The JSON text that is sent."),
  state: DeliveryState,
  attempts: z.int(),
  dueAt: At.optional().describe("When the next attempt starts."),
  status: z.int().optional(),
  error: z.string().optional(),
  createdAt: At,
  updatedAt: At,
});

/** Notifications to other servers, signed as in Standard Webhooks. */
export const webhookRoutes = {
  listWebhooks: route({
    method: "GET",
    path: "/v1/webhooks",
    tag: "webhooks",
    summary: "List webhooks without their secrets",
    roles: admins,
    answer: z.object({ webhooks: z.array(WebhookView).readonly() }),
    condition: "read",
  }),
  addWebhook: route({
    method: "POST",
    path: "/v1/webhooks",
    tag: "webhooks",
    summary: "Add a webhook; its signing secret is shown once",
    roles: admins,
    body: z.strictObject({
      name: Name,
      url: z.string().min(1).max(2048),
      topics: z.array(WebhookTopic).min(1).max(10).optional().describe("All topics by default."),
    }),
    answer: z.object({ webhook: WebhookView, secret: z.string() }),
    status: 201,
    isSensitive: true,
    errors: ["LIMIT_EXCEEDED", "SIGN_IN_REQUIRED"],
  }),
  changeWebhook: route({
    method: "PUT",
    path: "/v1/webhooks/{webhook}/enabled",
    tag: "webhooks",
    summary: "Pause or resume a webhook; events in between are sent when it is resumed",
    roles: admins,
    params: byWebhook,
    body: z.strictObject({ isEnabled: z.boolean() }),
    answer: WebhookView,
    errors: missing,
  }),
  removeWebhook: route({
    method: "DELETE",
    path: "/v1/webhooks/{webhook}",
    tag: "webhooks",
    summary: "Remove a webhook and its deliveries",
    roles: admins,
    params: byWebhook,
    answer: "nothing",
    status: 204,
    errors: missing,
  }),
  testWebhook: route({
    method: "POST",
    path: "/v1/webhooks/{webhook}/test",
    tag: "webhooks",
    summary: "Send a test notification",
    roles: admins,
    params: byWebhook,
    answer: DeliveryView,
    status: 202,
    errors: missing,
  }),
  listDeliveries: route({
    method: "GET",
    path: "/v1/webhooks/{webhook}/deliveries",
    tag: "webhooks",
    summary: "List the deliveries of a webhook, newest first",
    roles: admins,
    params: byWebhook,
    query: z.strictObject({ ...paging, state: DeliveryState.optional() }),
    answer: z.object({ deliveries: z.array(DeliveryView).readonly(), nextCursor }),
    condition: "read",
    errors: missing,
  }),
  redeliver: route({
    method: "POST",
    path: "/v1/webhooks/{webhook}/deliveries/{delivery}/redeliver",
    tag: "webhooks",
    summary: "Send a notification again, under the same id",
    roles: admins,
    params: byWebhook.extend({ delivery: z.uuid() }),
    answer: DeliveryView,
    status: 202,
    errors: missing,
  }),
} as const;
