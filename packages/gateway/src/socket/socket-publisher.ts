import { SerialQueue } from "@skillhold/core/async";
import type { CancelTimer, Timers } from "@skillhold/core/port";
import { SkillError } from "@skillhold/protocol/error";
import type { DependencyEvent, ServerMessage } from "@skillhold/protocol/http";
import type { StoredEvent } from "@skillhold/registry/record";
import type { Principal } from "../auth/principal.ts";
import type { RunningContext } from "../running-context.ts";
import { closeCodes } from "./close-code.ts";
import type { ConnectionTable } from "./connection-table.ts";
import { EventAudience } from "./event-audience.ts";
import { LogFeed } from "./log-feed.ts";
import { LogPages } from "./log-page.ts";
import { SessionOwners } from "./session-owner.ts";
import type { SocketChannel } from "./socket-channel.ts";
import type { SocketLimits } from "./socket-limits.ts";
import { SocketViewers, viewKeyOf } from "./socket-viewer.ts";
import { EventFanout, Subscription } from "./subscription.ts";
import { ViewChanges } from "./view-change.ts";

export interface SubscribeParams {
  readonly after?: number | undefined;
  readonly types?: readonly string[] | undefined;
  /** The key of a workspace that gets envelopes. The caller has checked that the principal acts for it. */
  readonly workspace?: string | undefined;
}

export interface SubscriptionStart {
  readonly subscription: Subscription;
  /** The event that it starts after. */
  readonly after: number;
}

type PublisherContext = Pick<
  RunningContext,
  | "registry"
  | "library"
  | "skills"
  | "sessions"
  | "calls"
  | "mounted"
  | "views"
  | "progress"
  | "installProgress"
  | "log"
  | "timers"
>;

/** Publishes events, changes and progress to the connected clients. */
export class SocketPublisher {
  readonly #context: PublisherContext;
  readonly #connections: ConnectionTable;
  readonly #viewers: SocketViewers;
  readonly #changes: ViewChanges;
  readonly #owners: SessionOwners;
  readonly #pages: LogPages;
  readonly #feed: LogFeed;
  readonly #fanout = new EventFanout(() => this.#feed);
  readonly #throttle: ChangeThrottle;
  readonly #stops: readonly (() => void)[];
  readonly #publishing = new SerialQueue();

  constructor(connections: ConnectionTable, { changedMs }: SocketLimits, context: PublisherContext) {
    const { registry, timers } = context;
    const { store } = registry;
    this.#connections = connections;
    this.#context = context;
    this.#viewers = new SocketViewers(context);
    this.#changes = new ViewChanges(context);
    this.#owners = new SessionOwners(store);
    this.#pages = new LogPages(store);
    this.#throttle = new ChangeThrottle(changedMs, () => this.#enqueue(() => this.#publishChange()), timers);
    this.#feed = new LogFeed({
      ...{ store, timers },
      onEvent: (stored) => this.#publish(stored),
      onFailure: (error) => this.#fail(error),
    });
    this.#stops = [
      context.views.onChange(() => this.#throttle.notify()),
      context.progress.listen((event) => this.#enqueue(() => this.#publishProgress(event))),
      context.installProgress.listen(({ to, event }) =>
        this.#enqueue(async () =>
          this.#connections.send(serialize({ install: event }), (principal) => viewKeyOf(principal) === to),
        ),
      ),
    ];
    this.#feed.start();
  }

  /** Resolves when no later commit is missed. */
  get started(): Promise<void> {
    return this.#feed.started;
  }

  /**
   * Notes the view of a new client. Later changes of this view are published to it. A change that other clients of the view
   * have not received is published to them now, so that it does not come with a later change of a skill they may not know.
   */
  async noteView(principal: Principal): Promise<void> {
    await this.#publishing.run(async () => {
      if (!(await this.#changes.note(principal))) return;
      const key = viewKeyOf(principal);
      const isOther = (each: Principal) => each !== principal && viewKeyOf(each) === key;
      this.#connections.send(serialize({ changed: true }), isOther);
    });
  }

  /** A subscription after the client's last event, or at the end of the log. The caller starts it. */
  async subscribe(
    { after, types, workspace }: SubscribeParams,
    principal: Principal,
    channel: SocketChannel,
  ): Promise<SubscriptionStart> {
    const end = await this.#context.registry.store.lastEvent();
    if (after !== undefined && after > end)
      throw new SkillError("USAGE", `The log ends with event ${end}.`, {
        hint: "Your position is from another log, or from before a restore. Start again from 0.",
        details: { last: end },
      });
    const from = after ?? end;
    const subscription = new Subscription({ principal, after: from, end, types, workspace }, channel, {
      live: this.#fanout,
      pages: this.#pages,
      owners: this.#owners,
      audience: () => this.#audience(),
      onFailure: (error) => this.#disconnect(channel, error),
    });
    return { subscription, after: from };
  }

  async close(): Promise<void> {
    for (const stop of this.#stops) stop();
    this.#throttle.stop();
    await this.#feed.stop();
    await this.#publishing.idle();
  }

  async #publish(stored: StoredEvent): Promise<void> {
    const { event } = stored;
    this.#owners.note(stored);
    if (event.type === "token.revoked") this.#endToken(event.token);
    if (event.type === "agent.removed") this.#endAgent(event.agent);
    if (event.type === "agent.removed" || event.type === "agent.changed") this.#viewers.clear();
    await this.#fanout.publish(stored, this.#audience());
  }

  #endToken(token: string): void {
    this.#connections.disconnect(
      (each) => each.token === token,
      closeCodes.refused,
      "The token was revoked.",
    );
    this.#context.calls.endToken(token);
    // Closing waits for running work, which must not delay the next event; failures are logged.
    void this.#context.sessions.closeOf(token);
    void this.#context.mounted.endToken(token);
  }

  #endAgent(key: string): void {
    this.#connections.disconnect(({ agent }) => agent === key, closeCodes.refused, "The agent was removed.");
    this.#context.calls.endAgent(key);
    void this.#context.sessions.closeOfAgent(key);
    void this.#context.mounted.endAgent(key);
  }

  /** Clients may have missed events, so they must reconnect and send their position. */
  #fail(error: unknown): void {
    this.#context.log({ level: "error", event: "socket.feed_failed", error });
    this.#connections.disconnect(() => true, closeCodes.tryLater, "The audit log could not be read.");
  }

  #disconnect(channel: SocketChannel, error: unknown): void {
    this.#context.log({ level: "error", event: "socket.subscription_failed", error });
    channel.close(closeCodes.tryLater, "The audit log could not be read.");
  }

  #audience(): EventAudience {
    return new EventAudience({ context: this.#context, viewers: this.#viewers, owners: this.#owners });
  }

  async #publishChange(): Promise<void> {
    if (this.#connections.size === 0) return;
    await this.#context.views.current();
    const principals = this.#connections.admitted().map(([, principal]) => principal);
    const changed = await this.#changes.changed(principals);
    this.#connections.send(serialize({ changed: true }), (principal) => changed.has(viewKeyOf(principal)));
  }

  async #publishProgress(event: DependencyEvent): Promise<void> {
    const audience = this.#audience();
    const receives = new Map<string, boolean>();
    for (const [, principal] of this.#connections.admitted()) {
      const key = viewKeyOf(principal);
      if (!receives.has(key)) receives.set(key, await audience.receivesProgress(event, principal));
    }
    this.#connections.send(
      serialize({ progress: event }),
      (principal) => receives.get(viewKeyOf(principal)) === true,
    );
  }

  /** Sends messages in order. They are not stored, so a failed message is lost. */
  #enqueue(send: () => Promise<void>): void {
    void this.#publishing
      .run(send)
      .catch((error: unknown) => this.#context.log({ level: "error", event: "socket.news_failed", error }));
  }
}

function serialize(message: ServerMessage): Buffer {
  return Buffer.from(JSON.stringify(message));
}

/** Throttles change notifications: the first is sent at once, then at most one per interval, and never loses the last. */
export class ChangeThrottle {
  readonly #intervalMs: number;
  readonly #send: () => void;
  readonly #timers: Timers;
  #cancel: CancelTimer | undefined;
  #isDue = false;

  constructor(intervalMs: number, send: () => void, timers: Timers) {
    this.#timers = timers;
    this.#intervalMs = intervalMs;
    this.#send = send;
  }

  notify(): void {
    if (this.#cancel !== undefined) {
      this.#isDue = true;
      return;
    }
    this.#cancel = this.#timers.after(this.#intervalMs, () => this.#flush(), { isBackground: true });
    this.#send();
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#isDue = false;
  }

  #flush(): void {
    this.#cancel = undefined;
    if (!this.#isDue) return;
    this.#isDue = false;
    this.notify();
  }
}
