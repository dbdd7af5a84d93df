import type { Session } from "@skillhold/core/session";
import type { Principal } from "../auth/principal.ts";

export interface SessionMeta {
  readonly task?: string | undefined;
  /** For a token without an agent. */
  readonly runtime?: string | undefined;
}

/** The sessions that are open at a gateway. Each is for the token that opened it; for any other it is not there. */
export interface SessionHolder {
  /** Throws RATE_LIMITED for a token that has as many open as it may. */
  open(principal: Principal, meta?: SessionMeta): Promise<Session>;
  /** Does some work with it, as long as which it is in use; throws SESSION_NOT_FOUND, and RATE_LIMITED for too much at a time. */
  use<T>(id: string, principal: Principal, work: (session: Session) => Promise<T>): Promise<T>;
  /** Calls off what is under way in it, and records its end. */
  close(id: string, principal: Principal): Promise<void>;
  /** Closes those of a token that counts no more. */
  closeOf(token: string): Promise<void>;
  /** Closes those of an agent that was taken away. */
  closeOfAgent(key: string): Promise<void>;
  /** Closes all, and opens no more. */
  closeAll(): Promise<void>;
}
