import { z } from "zod";

/** The subjects that a webhook subscribes to. */
export const WebhookTopic = z.enum(["proposals", "approvals", "promotions"]);
export type WebhookTopic = z.infer<typeof WebhookTopic>;

/** `failed`: no attempt is left. */
export const DeliveryState = z.enum(["pending", "delivered", "failed"]);
export type DeliveryState = z.infer<typeof DeliveryState>;
