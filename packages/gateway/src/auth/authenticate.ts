import type { Principal } from "./principal.ts";

export interface Credentials {
  readonly method: string;
  readonly headers: Headers;
  /** Whether a browser that opens the address by itself is let in by its cookie: what is there is nobody's data. */
  readonly isNavigable?: boolean;
  /** Called before the store is asked for a token that never counted here; throws where that is too much. */
  readonly rejectUnknown?: () => void;
}

export interface Authenticated {
  readonly principal: Principal;
  /** The store's version, asked since the request came; undefined where the engine has none. */
  readonly seen: number | undefined;
}

/** Finds who a request is from; undefined when it says nobody, or nobody that counts. */
export type Authenticate = (request: Credentials) => Promise<Authenticated | undefined>;
