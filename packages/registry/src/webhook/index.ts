export { type ConfiguredWebhook, configureWebhooks } from "./configured.ts";
export { claimDeliveries, queueDeliveries, settleDelivery } from "./delivery.ts";
export type { AttemptResult } from "./retry.ts";
export { isSigned, type SignedMessage, signedHeaders } from "./signature.ts";
export {
  addWebhook,
  enableWebhook,
  getWebhook,
  type NewWebhook,
  redeliver,
  removeWebhook,
  secretOf,
  testWebhook,
} from "./webhooks.ts";
