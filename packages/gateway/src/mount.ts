import type { Role } from "@skillhold/protocol";
import type { Principal } from "./auth/principal.ts";

/** Something that answers requests below a path by itself, after the gateway has checked who asks. */
export interface Mount {
  readonly path: `/${string}`;
  readonly roles: readonly Role[];
  /** A request is counted; what it has in it beside that is for the mount to take, which throws RATE_LIMITED. */
  handle(request: Request, principal: Principal, take: (more: number) => void): Promise<Response>;
  /** Breaks off all that is under way for a token, which counts no more. */
  endToken?(token: string): Promise<void>;
  /** Called when the gateway begins to shut down: what waits for something to happen ends, and work goes on. */
  stop?(): Promise<void>;
  close?(): Promise<void>;
}
