import type { Role } from "@skillhold/protocol";
import type { Principal } from "./principal.ts";

/** Something that answers requests below a path by itself, after the gateway has checked who asks. */
export interface Mount {
  readonly path: `/${string}`;
  readonly roles: readonly Role[];
  handle(request: Request, principal: Principal): Promise<Response>;
  close?(): Promise<void>;
}
