import type { Viewer } from "@skillhold/core/library";
import type { CancelTimer } from "@skillhold/core/port";
import { openSession, type Session, type SessionPorts } from "@skillhold/core/session";
import { SkillError } from "@skillhold/protocol/error";
import { agentFor } from "@skillhold/registry/access";
import { mayRun, type Principal } from "../auth/principal.ts";
import { requestViewer } from "../auth/viewer.ts";
import type { GatewayContext } from "../gateway-context.ts";
import { definedFields } from "../http/defined-fields.ts";
import { type Bearer, hasEnded, tokenEnded } from "./running-calls.ts";
import type { SessionHolder, SessionMeta } from "./session-holder.ts";
import { proposerFor } from "./session-proposer.ts";
import { sessionPublisher } from "./session-publisher.ts";
import { SkipLog } from "./skip-log.ts";

/** The parts that sessions need. */
export type SessionSource = Pick<
  GatewayContext,
  "registry" | "library" | "skills" | "audit" | "runs" | "inbox" | "log" | "timers"
> &
  Pick<SessionPorts, "uses">;

export interface GatewaySessionOptions {
  /** Open sessions per token. */
  readonly perToken?: number;
  /** Concurrent calls per token, in all of its sessions. */
  readonly callsPerToken?: number;
  /** The time after which an unused session is closed. */
  readonly idleMs?: number;
}

interface OpenSession {
  readonly session: Session;
  readonly token: string;
  /** The session ends with this token or agent. */
  readonly bearer: Bearer;
  usedAt: number;
  /** The number of running calls. */
  calls: number;
}

const PER_TOKEN = 100;
const CALLS_PER_TOKEN = 64;
const IDLE_MS = 30 * 60_000;
const CHECK_MS = 60_000;

/** The sessions of a gateway. Approvals are requested from people through the gateway, never from the caller. */
export class GatewaySessions implements SessionHolder {
  readonly #source: SessionSource;
  readonly #skips: SkipLog;
  readonly #perToken: number;
  readonly #callsPerToken: number;
  readonly #idleMs: number;
  readonly #sessions = new Map<string, OpenSession>();
  /** Sessions per token, including those that are being opened. */
  readonly #counts = new Map<string, number>();
  #cancel: CancelTimer | undefined;
  #isClosed = false;

  constructor(source: SessionSource, options: GatewaySessionOptions = {}) {
    this.#source = source;
    this.#skips = new SkipLog(source.library, source.log);
    this.#perToken = options.perToken ?? PER_TOKEN;
    this.#callsPerToken = options.callsPerToken ?? CALLS_PER_TOKEN;
    this.#idleMs = options.idleMs ?? IDLE_MS;
  }

  async open(principal: Principal, meta: SessionMeta = {}): Promise<Session> {
    if (this.#isClosed) throw closing();
    const { token } = principal;
    this.#reserve(token);
    const session = await this.#open(principal, meta).catch((error: unknown) => {
      this.#release(token);
      throw error;
    });
    this.#sessions.set(session.id, {
      session,
      token,
      bearer: principal,
      usedAt: this.#now(),
      calls: 0,
    });
    this.#cancel ??= this.#source.timers.every(CHECK_MS, () => void this.closeIdle());
    // The gateway may have closed, or the token may have ended, while the session was opened.
    const isRevoked =
      !this.#isClosed &&
      (await hasEnded(principal, this.#source.registry).catch(async (error: unknown) => {
        await this.#end(session.id);
        throw error;
      }));
    if (!this.#isClosed && !isRevoked) return session;
    await this.#end(session.id);
    throw isRevoked ? tokenEnded() : closing();
  }

  get(id: string, principal: Principal): Session {
    return this.#get(id, principal).session;
  }

  async use<T>(id: string, principal: Principal, work: (session: Session) => Promise<T>): Promise<T> {
    const open = this.#get(id, principal);
    this.#rejectBusy(open.token);
    open.calls += 1;
    try {
      return await work(open.session);
    } finally {
      open.calls -= 1;
      open.usedAt = this.#now();
    }
  }

  async close(id: string, principal: Principal): Promise<void> {
    this.#get(id, principal);
    await this.#end(id);
  }

  async closeOf(token: string): Promise<void> {
    await this.#endAll((open) => open.token === token);
  }

  async closeOfAgent(key: string): Promise<void> {
    await this.#endAll(({ bearer }) => bearer.agent === key);
  }

  async closeAll(): Promise<void> {
    this.#isClosed = true;
    await this.#endAll(() => true);
  }

  /** Closes idle sessions and, with their running work, those of ended tokens. Runs on a timer; tests call it directly. */
  async closeIdle(): Promise<void> {
    const now = this.#now();
    const since = now - this.#idleMs;
    await this.#endAll(
      ({ calls, usedAt, bearer }) => Date.parse(bearer.expiresAt) <= now || (calls === 0 && usedAt <= since),
    );
    const ended = await this.#listEnded();
    await this.#endAll(({ token }) => ended.has(token));
  }

  /** Finds ended tokens whose event was missed. */
  async #listEnded(): Promise<ReadonlySet<string>> {
    const { registry, log } = this.#source;
    const bearers = new Map([...this.#sessions.values()].map(({ token, bearer }) => [token, bearer]));
    try {
      const tokens = await Promise.all(
        [...bearers].map(async ([token, bearer]) => ((await hasEnded(bearer, registry)) ? [token] : [])),
      );
      return new Set(tokens.flat());
    } catch (error) {
      // The next check runs in a minute.
      log({ level: "error", event: "session.look_failed", error });
      return new Set();
    }
  }

  async #open(principal: Principal, { task, runtime }: SessionMeta): Promise<Session> {
    const { registry, library } = this.#source;
    const viewer = await requestViewer(principal, { runtime }, { registry });
    this.#skips.note(viewer);
    const { manifest } = await agentFor(viewer.agent, viewer.user, registry);
    const options = { limits: registry.limits, ...definedFields({ task, manifest }) };
    return await openSession(library, viewer, this.#portsFor(viewer, principal), options);
  }

  #portsFor(viewer: Viewer, principal: Principal): SessionPorts {
    const { registry, audit, runs, inbox, uses } = this.#source;
    const { clock, ids } = registry;
    const publisher = sessionPublisher(principal, viewer, this.#source);
    const proposer = proposerFor(principal, registry);
    return {
      clock,
      ids,
      audit,
      ...(uses === undefined ? {} : { uses }),
      ...(publisher === undefined ? {} : { publisher }),
      ...(proposer === undefined ? {} : { proposer }),
      ...(runs === undefined || !mayRun(principal) ? {} : { runs: { ...runs(viewer), asker: inbox } }),
    };
  }

  #get(id: string, { token }: Principal): OpenSession {
    const open = this.#sessions.get(id);
    if (open?.token !== token) throw new SkillError("SESSION_NOT_FOUND", "There is no such session.");
    open.usedAt = this.#now();
    return open;
  }

  #rejectBusy(token: string): void {
    const own = [...this.#sessions.values()].filter((open) => open.token === token);
    const calls = own.reduce((sum, session) => sum + session.calls, 0);
    if (calls >= this.#callsPerToken)
      throw new SkillError("RATE_LIMITED", `This token has ${calls} running calls, which is the limit.`, {
        hint: "Wait for some of them to finish.",
      });
  }

  #reserve(token: string): void {
    const count = this.#counts.get(token) ?? 0;
    if (count >= this.#perToken)
      throw new SkillError("RATE_LIMITED", `This token has ${count} open sessions, which is the limit.`, {
        hint: "Close unused sessions. An idle session closes after half an hour.",
      });
    this.#counts.set(token, count + 1);
  }

  #release(token: string): void {
    const left = (this.#counts.get(token) ?? 1) - 1;
    if (left === 0) this.#counts.delete(token);
    else this.#counts.set(token, left);
  }

  /** Failures are logged. */
  async #endAll(isMatch: (open: OpenSession) => boolean): Promise<void> {
    const ids = [...this.#sessions].filter(([, open]) => isMatch(open)).map(([id]) => id);
    for (const end of await Promise.allSettled(ids.map((id) => this.#end(id))))
      if (end.status === "rejected")
        this.#source.log({ level: "error", event: "session.close_failed", error: end.reason });
  }

  /** A session whose end cannot be recorded stays open, so that a later call can close it. */
  async #end(id: string): Promise<void> {
    const open = this.#sessions.get(id);
    if (open === undefined) return;
    this.#sessions.delete(id);
    try {
      await open.session.close();
    } catch (error) {
      this.#sessions.set(id, open);
      throw error;
    }
    this.#release(open.token);
    if (this.#sessions.size > 0) return;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #now(): number {
    return this.#source.registry.clock.now().getTime();
  }
}

function closing(): SkillError {
  return new SkillError("NOT_READY", "The gateway is shutting down.", {
    hint: "Retry when it is running again.",
  });
}
