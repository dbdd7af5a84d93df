import type { Viewer } from "@skillhold/core/library";
import type { Principal } from "../auth/principal.ts";
import { viewerOf } from "../auth/viewer.ts";
import type { GatewayContext } from "../gateway-context.ts";

/** Those of whom this is the same see the same. */
export function sightOf({ role, user, agent }: Principal): string {
  return JSON.stringify([role, user, agent]);
}

/** Whose eyes those look through who are connected. */
export class SocketViewers {
  readonly #context: Pick<GatewayContext, "registry">;
  readonly #viewers = new Map<string, Promise<Viewer>>();

  constructor(context: Pick<GatewayContext, "registry">) {
    this.#context = context;
  }

  /** Throws for an agent that was taken away. */
  get(principal: Principal): Promise<Viewer> {
    const sight = sightOf(principal);
    const known = this.#viewers.get(sight);
    if (known !== undefined) return known;
    const viewer = viewerOf(principal, {}, this.#context);
    this.#viewers.set(sight, viewer);
    // It is told to whoever asks; the next one asks anew.
    viewer.catch(() => this.#viewers.delete(sight));
    return viewer;
  }

  /** To be called when an agent has changed, and when nobody is left. */
  clear(): void {
    this.#viewers.clear();
  }
}
