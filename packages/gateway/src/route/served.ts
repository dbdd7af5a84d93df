import type { Digest, SkillId } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { actorOf, isPerson, type Principal } from "../auth/principal.ts";
import type { GatewayContext } from "../gateway-context.ts";

/** What is about to leave. */
export interface Served {
  readonly skill: string;
  /** Of all files. */
  readonly hash: Digest;
  readonly revision: number | undefined;
  /** The file, where it is one. */
  readonly path?: string;
  /** Of the bytes that are sent. */
  readonly digest: Digest;
  readonly bytes: number;
}

interface Receiver {
  readonly principal: Principal;
  readonly isHead?: boolean;
}

/** The same for what took long to make: nothing is recorded as handed to one who was refused meanwhile, or is gone. */
export async function recordStillServed(
  call: Receiver & { readonly signal: AbortSignal },
  served: readonly Served[],
  context: Pick<GatewayContext, "audit" | "registry">,
): Promise<void> {
  if (call.signal.aborted)
    throw new SkillError("INTERRUPTED", "It was called off before it was handed over.");
  await recordServed(call, served, context);
}

/** Records what an agent is handed, before it is. When that fails, nothing is handed over. */
export async function recordServed(
  { principal, isHead = false }: Receiver,
  served: readonly Served[],
  { audit, registry }: Pick<GatewayContext, "audit" | "registry">,
): Promise<void> {
  if (isHead || isPerson(principal)) return;
  const at = registry.clock.now().toISOString();
  const by = actorOf(principal);
  await Promise.all(
    served.map(async ({ skill, revision, ...event }) => {
      await audit.record({
        type: "skill.served",
        at,
        // Whatever was read has the id of a skill.
        skill: skill as SkillId,
        ...event,
        ...(revision === undefined ? {} : { revision }),
        by,
      });
    }),
  );
}
