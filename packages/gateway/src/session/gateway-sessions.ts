import type { Viewer } from "@skillhold/core/library";
import { openSession, type Session, type SessionPorts } from "@skillhold/core/session";
import { SkillError } from "@skillhold/protocol/error";
import { mayRun, type Principal } from "../auth/principal.ts";
import { viewerOf } from "../auth/viewer.ts";
import type { GatewayContext } from "../gateway-context.ts";
import type { SessionHolder, SessionMeta } from "./session-holder.ts";
import { type Bearer, isOver, noLonger } from "./token-end.ts";

/** What sessions are opened with. */
export type SessionSource = Pick<GatewayContext, "registry" | "library" | "audit" | "runs" | "desk" | "log">;

export interface GatewaySessionOptions {
  /** How many a token may have open. */
  readonly perToken?: number;
  /** How many calls of a token may be under way, in all of its sessions. */
  readonly callsPerToken?: number;
  /** How long a session stays open that nobody uses. */
  readonly idleMs?: number;
}

interface Held {
  readonly session: Session;
  readonly token: string;
  /** What it ends with. */
  readonly bearer: Bearer;
  usedAt: number;
  /** How many calls are under way. */
  users: number;
}

const PER_TOKEN = 100;
const CALLS_PER_TOKEN = 64;
const IDLE_MS = 30 * 60_000;
const LOOK_MS = 60_000;

/** The sessions of a gateway. What needs a person's yes is asked at the gateway's desk, and never of who calls. */
export class GatewaySessions implements SessionHolder {
  readonly #source: SessionSource;
  readonly #perToken: number;
  readonly #callsPerToken: number;
  readonly #idleMs: number;
  readonly #held = new Map<string, Held>();
  /** How many each token has, those included that are being opened. */
  readonly #counts = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(source: SessionSource, options: GatewaySessionOptions = {}) {
    this.#source = source;
    this.#perToken = options.perToken ?? PER_TOKEN;
    this.#callsPerToken = options.callsPerToken ?? CALLS_PER_TOKEN;
    this.#idleMs = options.idleMs ?? IDLE_MS;
  }

  async open(principal: Principal, meta: SessionMeta = {}): Promise<Session> {
    if (this.#isClosed) throw closing();
    const { token } = principal;
    this.#take(token);
    const session = await this.#open(principal, meta).catch((error: unknown) => {
      this.#giveBack(token);
      throw error;
    });
    this.#held.set(session.id, {
      session,
      token,
      bearer: principal,
      usedAt: this.#now(),
      users: 0,
    });
    this.#timer ??= setInterval(() => void this.closeIdle(), LOOK_MS).unref();
    // All others were closed while this one was opened, or those of this token.
    const isOfNobody =
      !this.#isClosed &&
      (await isOver(principal, this.#source.registry).catch(async (error: unknown) => {
        await this.#end(session.id);
        throw error;
      }));
    if (!this.#isClosed && !isOfNobody) return session;
    await this.#end(session.id);
    throw isOfNobody ? noLonger() : closing();
  }

  get(id: string, principal: Principal): Session {
    return this.#get(id, principal).session;
  }

  async use<T>(id: string, principal: Principal, work: (session: Session) => Promise<T>): Promise<T> {
    const held = this.#get(id, principal);
    this.#rejectBusy(held.token);
    held.users += 1;
    try {
      return await work(held.session);
    } finally {
      held.users -= 1;
      held.usedAt = this.#now();
    }
  }

  async close(id: string, principal: Principal): Promise<void> {
    this.#get(id, principal);
    await this.#end(id);
  }

  async closeOf(token: string): Promise<void> {
    await this.#endAll((held) => held.token === token);
  }

  async closeOfAgent(key: string): Promise<void> {
    await this.#endAll(({ bearer }) => bearer.agent === key);
  }

  async closeAll(): Promise<void> {
    this.#isClosed = true;
    await this.#endAll(() => true);
  }

  /**
   * Closes those that nobody has used for too long, and those whose token is over, with what runs in them. It happens by
   * itself; whoever cannot wait may call it.
   */
  async closeIdle(): Promise<void> {
    const now = this.#now();
    const since = now - this.#idleMs;
    await this.#endAll(
      ({ users, usedAt, bearer }) => Date.parse(bearer.expiresAt) <= now || (users === 0 && usedAt <= since),
    );
    const over = await this.#listOver();
    await this.#endAll(({ token }) => over.has(token));
  }

  /** Tokens that count no more, which nobody may have heard of. */
  async #listOver(): Promise<ReadonlySet<string>> {
    const { registry, log } = this.#source;
    const bearers = new Map([...this.#held.values()].map(({ token, bearer }) => [token, bearer]));
    try {
      const found = await Promise.all(
        [...bearers].map(async ([token, bearer]) => ((await isOver(bearer, registry)) ? [token] : [])),
      );
      return new Set(found.flat());
    } catch (error) {
      // The next look comes in a minute.
      log({ level: "error", event: "session.look_failed", error });
      return new Set();
    }
  }

  async #open(principal: Principal, { task, runtime }: SessionMeta): Promise<Session> {
    const { registry, library } = this.#source;
    const viewer = await viewerOf(principal, { runtime }, { registry });
    const options = { limits: registry.limits, ...(task === undefined ? {} : { task }) };
    return await openSession(library, viewer, this.#portsFor(viewer, principal), options);
  }

  #portsFor(viewer: Viewer, principal: Principal): SessionPorts {
    const { registry, audit, runs, desk } = this.#source;
    const { clock, ids } = registry;
    return {
      clock,
      ids,
      audit,
      ...(runs === undefined || !mayRun(principal) ? {} : { runs: { ...runs(viewer), asker: desk } }),
    };
  }

  #get(id: string, { token }: Principal): Held {
    const held = this.#held.get(id);
    if (held?.token !== token) throw new SkillError("SESSION_NOT_FOUND", "There is no such session.");
    held.usedAt = this.#now();
    return held;
  }

  #rejectBusy(token: string): void {
    const own = [...this.#held.values()].filter((held) => held.token === token);
    const calls = own.reduce((sum, { users }) => sum + users, 0);
    if (calls >= this.#callsPerToken)
      throw new SkillError("RATE_LIMITED", `This token has ${calls} calls under way.`, {
        hint: "Wait for some of them to end.",
      });
  }

  #take(token: string): void {
    const count = this.#counts.get(token) ?? 0;
    if (count >= this.#perToken)
      throw new SkillError("RATE_LIMITED", `This token has ${count} sessions open.`, {
        hint: "Close those that are not needed; one that is not used is closed after half an hour.",
      });
    this.#counts.set(token, count + 1);
  }

  #giveBack(token: string): void {
    const left = (this.#counts.get(token) ?? 1) - 1;
    if (left === 0) this.#counts.delete(token);
    else this.#counts.set(token, left);
  }

  /** What fails is told to the log: nobody waits for it. */
  async #endAll(isMeant: (held: Held) => boolean): Promise<void> {
    const ids = [...this.#held].filter(([, held]) => isMeant(held)).map(([id]) => id);
    for (const end of await Promise.allSettled(ids.map((id) => this.#end(id))))
      if (end.status === "rejected")
        this.#source.log({ level: "error", event: "session.close_failed", error: end.reason });
  }

  /** One whose end cannot be recorded stays open, and can be closed again. */
  async #end(id: string): Promise<void> {
    const held = this.#held.get(id);
    if (held === undefined) return;
    this.#held.delete(id);
    try {
      await held.session.close();
    } catch (error) {
      this.#held.set(id, held);
      throw error;
    }
    this.#giveBack(held.token);
    if (this.#held.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #now(): number {
    return this.#source.registry.clock.now().getTime();
  }
}

function closing(): SkillError {
  return new SkillError("NOT_READY", "The gateway is shutting down.", { hint: "Try again when it is back." });
}
