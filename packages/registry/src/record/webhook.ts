import type { DeliveryState, WebhookTopic } from "@skillhold/protocol";

/** An address that is notified of events. */
export interface Webhook {
  /** A UUID. */
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly topics: readonly WebhookTopic[];
  readonly isEnabled: boolean;
  /** The signing secret in base64, sealed with the key of a machine. Other machines cannot sign. */
  readonly sealed: string;
  /** Events up to this number have their deliveries. */
  readonly cursor: number;
  readonly createdBy: string;
  readonly createdAt: string;
}

/** One notification for one webhook, with the result of its last attempt. */
export interface Delivery {
  /** A UUID, which receivers use to recognize a repeated notification. */
  readonly id: string;
  readonly webhook: string;
  /** The type of the event, or `test`. */
  readonly type: string;
  /** The JSON text that is sent. */
  readonly body: string;
  readonly state: DeliveryState;
  /** The attempts that were started. */
  readonly attempts: number;
  /** A pending delivery is not sent before this time. During an attempt it is the time after which another one may start. */
  readonly dueAt: string;
  /** The HTTP status of the last response. */
  readonly status?: number | undefined;
  /** The failure of the last attempt. */
  readonly error?: string | undefined;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** One page of deliveries, newest first. */
export interface DeliveryPage {
  readonly webhook: string;
  readonly state?: DeliveryState | undefined;
  /** Continue after this one. */
  readonly after?: Pick<Delivery, "createdAt" | "id"> | undefined;
  readonly limit: number;
}
