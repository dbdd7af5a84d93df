import type { Session } from "@skillhold/core/session";
import type { Principal } from "../auth/principal.ts";

export interface SessionMeta {
  readonly task?: string | undefined;
  /** For a token without an agent. */
  readonly runtime?: string | undefined;
}

/** The open sessions of a gateway. A session exists only for the token that opened it. */
export interface SessionHolder {
  /** Throws RATE_LIMITED when the token has too many open sessions. */
  open(principal: Principal, meta?: SessionMeta): Promise<Session>;
  /** Runs work in a session. Throws SESSION_NOT_FOUND, and RATE_LIMITED for too many concurrent calls. */
  use<T>(id: string, principal: Principal, work: (session: Session) => Promise<T>): Promise<T>;
  /** Cancels running work and records the end of the session. */
  close(id: string, principal: Principal): Promise<void>;
  /** Closes the sessions of a token that is no longer valid. */
  closeOf(token: string): Promise<void>;
  /** Closes the sessions of a removed agent. */
  closeOfAgent(key: string): Promise<void>;
  /** Closes all sessions and rejects new ones. */
  closeAll(): Promise<void>;
}
