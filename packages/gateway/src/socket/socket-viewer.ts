import type { Viewer } from "@skillhold/core/library";
import type { Principal } from "../auth/principal.ts";
import { requestViewer } from "../auth/viewer.ts";
import type { GatewayContext } from "../gateway-context.ts";

/** Principals with the same key have the same view. */
export function viewKeyOf({ role, user, agent }: Principal): string {
  return JSON.stringify([role, user, agent]);
}

/** The viewers of connected principals, cached by view key. */
export class SocketViewers {
  readonly #context: Pick<GatewayContext, "registry">;
  readonly #viewers = new Map<string, Promise<Viewer>>();

  constructor(context: Pick<GatewayContext, "registry">) {
    this.#context = context;
  }

  /** Rejects for a removed agent. */
  get(principal: Principal): Promise<Viewer> {
    const key = viewKeyOf(principal);
    const cached = this.#viewers.get(key);
    if (cached !== undefined) return cached;
    const viewer = requestViewer(principal, {}, this.#context);
    this.#viewers.set(key, viewer);
    // The caller gets the error, and the next call retries.
    viewer.catch(() => this.#viewers.delete(key));
    return viewer;
  }

  /** Call it when an agent changes. */
  clear(): void {
    this.#viewers.clear();
  }
}
