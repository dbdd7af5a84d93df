import type { Actor } from "@skillhold/protocol";

/** Who publishes what comes with the product. */
export const systemActor: Actor = { user: "system", role: "system" };
