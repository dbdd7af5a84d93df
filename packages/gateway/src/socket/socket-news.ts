import { SkillError } from "@skillhold/protocol/error";
import type { DependencyEvent, ServerMessage } from "@skillhold/protocol/http";
import type { StoredEvent } from "@skillhold/registry/record";
import type { Principal } from "../auth/principal.ts";
import type { RunningContext } from "../running-context.ts";
import { ChangeNotice } from "./change-notice.ts";
import { closeCodes } from "./close-code.ts";
import { EventAudience } from "./event-audience.ts";
import { EventFan } from "./event-fan.ts";
import { LogFeed } from "./log-feed.ts";
import { LogPages } from "./log-page.ts";
import { SessionOwners } from "./session-owner.ts";
import type { SocketCrowd } from "./socket-crowd.ts";
import type { SocketLimits } from "./socket-limits.ts";
import type { SocketLine } from "./socket-line.ts";
import { SocketViewers, sightOf } from "./socket-viewer.ts";
import { Subscription } from "./subscription.ts";

export interface Wanted {
  readonly after?: number | undefined;
  readonly types?: readonly string[] | undefined;
}

export interface Place {
  readonly subscription: Subscription;
  /** The event that it begins after. */
  readonly after: number;
}

type NewsContext = Pick<
  RunningContext,
  "registry" | "library" | "sessions" | "calls" | "mounted" | "views" | "progress" | "log"
>;

/** What goes on, told to those who are connected. */
export class SocketNews {
  readonly #context: NewsContext;
  readonly #crowd: SocketCrowd;
  readonly #viewers: SocketViewers;
  readonly #owners: SessionOwners;
  readonly #pages: LogPages;
  readonly #feed: LogFeed;
  readonly #fan = new EventFan(() => this.#feed);
  readonly #notice: ChangeNotice;
  readonly #stops: readonly (() => void)[];
  #telling: Promise<void> = Promise.resolve();

  constructor(crowd: SocketCrowd, { changedMs }: SocketLimits, context: NewsContext) {
    const { store } = context.registry;
    this.#crowd = crowd;
    this.#context = context;
    this.#viewers = new SocketViewers(context);
    this.#owners = new SessionOwners(store);
    this.#pages = new LogPages(store);
    this.#notice = new ChangeNotice(changedMs, () => this.#inTurn(() => this.#tellChange()));
    this.#feed = new LogFeed({
      store,
      onEvent: (stored) => this.#take(stored),
      onFailure: (error) => this.#fail(error),
    });
    this.#stops = [
      context.views.onChange(() => this.#notice.ring()),
      context.progress.listen((event) => this.#inTurn(() => this.#tellProgress(event))),
    ];
    this.#feed.start();
  }

  /** Resolves when nothing that is committed from then on is missed. */
  get started(): Promise<void> {
    return this.#feed.started;
  }

  /** A place in the log: after an event that the client has, or at its end. It is not started yet. */
  async subscribe({ after, types }: Wanted, principal: Principal, line: SocketLine): Promise<Place> {
    const end = await this.#context.registry.store.lastEvent();
    if (after !== undefined && after > end)
      throw new SkillError("USAGE", `The log ends with event ${end}.`, {
        hint: "What you have is of another log, or of this one before it was put back: start over from 0.",
        details: { last: end },
      });
    const from = after ?? end;
    const subscription = new Subscription({ principal, after: from, types }, line, {
      live: this.#fan,
      pages: this.#pages,
      owners: this.#owners,
      audience: () => this.#audience(),
      onFailure: (error) => this.#cutOff(line, error),
    });
    return { subscription, after: from };
  }

  async close(): Promise<void> {
    for (const stop of this.#stops) stop();
    this.#notice.stop();
    await this.#feed.stop();
    await this.#telling;
  }

  async #take(stored: StoredEvent): Promise<void> {
    const { event } = stored;
    this.#owners.learn(stored);
    if (event.type === "token.revoked") this.#endToken(event.token);
    if (event.type === "agent.removed") this.#endAgent(event.agent);
    if (event.type === "agent.removed" || event.type === "agent.changed") this.#viewers.clear();
    await this.#fan.tell(stored, this.#audience());
  }

  #endToken(token: string): void {
    this.#crowd.dismiss((each) => each.token === token, closeCodes.refused, "The token was revoked.");
    this.#context.calls.endToken(token);
    // It waits for what runs to end, which the next event must not; what fails is in the log.
    void this.#context.sessions.closeOf(token);
    void this.#context.mounted.endToken(token);
  }

  #endAgent(key: string): void {
    this.#crowd.dismiss(({ agent }) => agent === key, closeCodes.refused, "The agent was taken away.");
    this.#context.calls.endAgent(key);
    void this.#context.sessions.closeOfAgent(key);
    void this.#context.mounted.endAgent(key);
  }

  /** Whoever is connected may have missed something: they come again, and say how far they were. */
  #fail(error: unknown): void {
    this.#context.log({ level: "error", event: "socket.feed_failed", error });
    this.#crowd.dismiss(() => true, closeCodes.tryLater, "The log could not be read.");
  }

  #cutOff(line: SocketLine, error: unknown): void {
    this.#context.log({ level: "error", event: "socket.subscription_failed", error });
    line.close(closeCodes.tryLater, "The log could not be read.");
  }

  #audience(): EventAudience {
    return new EventAudience({ context: this.#context, viewers: this.#viewers, owners: this.#owners });
  }

  async #tellChange(): Promise<void> {
    if (this.#crowd.size === 0) return;
    this.#crowd.send(write({ changed: { version: await this.#context.views.current() } }));
  }

  async #tellProgress(event: DependencyEvent): Promise<void> {
    const audience = this.#audience();
    const hears = new Map<string, boolean>();
    for (const [, principal] of this.#crowd.admitted()) {
      const sight = sightOf(principal);
      if (!hears.has(sight)) hears.set(sight, await audience.hears(event, principal));
    }
    this.#crowd.send(write({ progress: event }), (principal) => hears.get(sightOf(principal)) === true);
  }

  /** What is told here comes in order, and is kept nowhere: what cannot be told is gone. */
  #inTurn(tell: () => Promise<void>): void {
    this.#telling = this.#telling
      .then(tell)
      .catch((error: unknown) => this.#context.log({ level: "error", event: "socket.news_failed", error }));
  }
}

function write(message: ServerMessage): Buffer {
  return Buffer.from(JSON.stringify(message));
}
