import type { Role } from "@skillhold/protocol";
import type { Principal } from "./auth/principal.ts";

/** Another server below a path of the gateway. The gateway authenticates its requests. */
export interface GatewayMount {
  readonly path: `/${string}`;
  readonly roles: readonly Role[];
  /** The request itself counts toward the rate limit. `take` counts more calls inside it and throws RATE_LIMITED. */
  handle(request: Request, principal: Principal, take: (more: number) => void): Promise<Response>;
  /** Ends everything that runs for a token that is no longer valid. */
  endToken?(token: string): Promise<void>;
  /** Called when the gateway starts to shut down: idle streams end, and running work continues. */
  stop?(): Promise<void>;
  close?(): Promise<void>;
}
