import type { CancelTimer, Timers } from "@skillhold/core/port";
import type { KeySource } from "@skillhold/core/secret";
import { SkillError } from "@skillhold/protocol/error";
import type { Delivery, RegistryContext, Webhook } from "@skillhold/registry/record";
import {
  type AttemptResult,
  claimDeliveries,
  queueDeliveries,
  secretOf,
  settleDelivery,
  signedHeaders,
} from "@skillhold/registry/webhook";
import type { LogEntry } from "../telemetry/log.ts";

/** The ports of notifications. */
export interface WebhookPorts {
  /** The key that opens the signing secrets. */
  readonly keys: KeySource;
  /** Sends a body to an address that its guard accepts. Throws for a response that is no success. */
  readonly post: (request: WebhookRequest) => Promise<{ readonly status: number }>;
  /** The address of the console for links; undefined until it is known. */
  readonly address: () => string | undefined;
}

export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

interface SenderPorts {
  readonly webhooks: WebhookPorts;
  readonly registry: RegistryContext;
  readonly timers: Timers;
  readonly log: (entry: LogEntry) => void;
  readonly onAttempt: (outcome: "delivered" | "failed") => void;
  readonly random?: () => number;
}

/** Another gateway or the command line may add work without notice. */
const POLL_MS = 15_000;
const IN_FLIGHT = 4;
/** Longer than the deadline of a request, so that only a crash makes a lease end. */
const LEASE_MARGIN_MS = 60_000;

/** Sends notifications while the gateway runs. The store has all state, so any gateway continues after a crash. */
export class WebhookSender {
  readonly #ports: SenderPorts;
  readonly #stop = new AbortController();
  readonly #sending = new Map<string, Set<Promise<void>>>();
  #cancelTimer: CancelTimer = () => {};
  #working: Promise<void> | undefined;
  #isAgain = false;
  readonly #unfollow: Promise<() => Promise<void>>;

  constructor(ports: SenderPorts) {
    this.#ports = ports;
    this.#unfollow = ports.registry.store.onCommit(() => this.#wake());
    this.#unfollow.catch((error: unknown) => this.#report(error));
    this.#wake();
  }

  /** Ends running requests; their deliveries are sent again later. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#cancelTimer();
    const unfollow = await this.#unfollow.catch(() => undefined);
    await unfollow?.();
    await this.#working;
    await Promise.all([...this.#sending.values()].flatMap((each) => [...each]));
  }

  #wake(): void {
    if (this.#stop.signal.aborted) return;
    if (this.#working !== undefined) {
      this.#isAgain = true;
      return;
    }
    this.#cancelTimer();
    this.#working = this.#work().finally(() => {
      this.#working = undefined;
      if (this.#isAgain) {
        this.#isAgain = false;
        this.#wake();
      }
    });
  }

  async #work(): Promise<void> {
    const { registry, timers, webhooks } = this.#ports;
    let waitMs = POLL_MS;
    try {
      if (webhooks.address() !== undefined) {
        await queueDeliveries(webhooks.address(), registry);
        for (const webhook of await registry.store.listWebhooks())
          if (webhook.isEnabled) waitMs = Math.min(waitMs, await this.#start(webhook));
      }
    } catch (error) {
      this.#report(error);
    }
    if (!this.#stop.signal.aborted)
      this.#cancelTimer = timers.after(waitMs, () => this.#wake(), { isBackground: true });
  }

  /** Starts the deliveries that are due. Returns the milliseconds until the next one is. */
  async #start(webhook: Webhook): Promise<number> {
    const { registry } = this.#ports;
    const secret = await this.#secretOf(webhook);
    // A gateway with the key sends them.
    if (secret === undefined) return POLL_MS;
    const running = this.#sending.get(webhook.id) ?? new Set();
    this.#sending.set(webhook.id, running);
    const limit = IN_FLIGHT - running.size;
    if (limit <= 0) return POLL_MS;
    const leaseMs = registry.limits.remoteMs + LEASE_MARGIN_MS;
    for (const delivery of await claimDeliveries(webhook, { leaseMs, limit }, registry)) {
      const sending = this.#send(delivery, webhook, secret)
        .catch((error: unknown) => this.#report(error))
        .finally(() => {
          running.delete(sending);
          this.#wake();
        });
      running.add(sending);
    }
    const [next] = await registry.store.listPendingDeliveries(webhook.id, 1);
    const dueMs = next === undefined ? POLL_MS : Date.parse(next.dueAt) - registry.clock.now().getTime();
    return Math.max(dueMs, 1);
  }

  async #secretOf(webhook: Webhook): Promise<string | undefined> {
    try {
      return secretOf(webhook, await this.#ports.webhooks.keys.key());
    } catch (error) {
      if (error instanceof SkillError && error.code === "SECRET_UNREADABLE") return undefined;
      throw error;
    }
  }

  async #send(delivery: Delivery, webhook: Webhook, secret: string): Promise<void> {
    const { registry, onAttempt, random = Math.random } = this.#ports;
    const attempt = await this.#post(delivery, webhook, secret);
    if (attempt === undefined) return;
    onAttempt(attempt.error === undefined ? "delivered" : "failed");
    const settled = await settleDelivery(delivery, attempt, random, registry);
    if (settled?.state === "failed") this.#reportFailed(settled, webhook);
  }

  /** Undefined for an attempt that the gateway itself ended. */
  async #post({ id, body }: Delivery, { url }: Webhook, secret: string): Promise<AttemptResult | undefined> {
    const { registry, webhooks } = this.#ports;
    const { signal } = this.#stop;
    const timestamp = Math.floor(registry.clock.now().getTime() / 1000);
    const headers = {
      "content-type": "application/json",
      ...signedHeaders({ id, timestamp, body }, secret),
    };
    try {
      const { status } = await webhooks.post({ url, headers, body, signal });
      return { status };
    } catch (error) {
      if (signal.aborted) return undefined;
      const status = error instanceof SkillError ? error.details["status"] : undefined;
      const message = error instanceof Error ? error.message : "The request failed.";
      return { error: message, ...(typeof status === "number" ? { status } : {}) };
    }
  }

  #reportFailed({ id, status, error }: Delivery, { id: webhook, name }: Webhook): void {
    const fields = { webhook, name, delivery: id, ...(status === undefined ? {} : { status }) };
    const message = `A notification was not delivered: ${error ?? "no attempt is left"}`;
    this.#ports.log({ level: "warning", event: "webhook.failed", message, fields });
  }

  #report(error: unknown): void {
    if (!this.#stop.signal.aborted) this.#ports.log({ level: "error", event: "webhook.error", error });
  }
}
