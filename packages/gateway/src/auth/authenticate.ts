import type { Principal } from "../principal.ts";

export interface Credentials {
  readonly method: string;
  readonly headers: Headers;
  readonly address: string;
  /** Whether a browser that opens the address by itself is let in by its cookie: what is there is nobody's data. */
  readonly isNavigable?: boolean;
}

/** Finds who a request is from; undefined when it says nobody, or nobody that counts. */
export type Authenticate = (request: Credentials) => Promise<Principal | undefined>;
