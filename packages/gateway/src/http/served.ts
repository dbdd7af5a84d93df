import type { Digest, SkillId } from "@skillhold/protocol";
import { isPerson, type Principal, principalActor } from "../auth/principal.ts";
import type { GatewayContext } from "../gateway-context.ts";

/** Skill content that a response contains. */
export interface Served {
  readonly skill: string;
  /** The tree hash of the skill. */
  readonly hash: Digest;
  readonly revision: number | undefined;
  /** The file; absent when the response contains more than one. */
  readonly path?: string;
  /** Of the bytes that are sent. */
  readonly digest: Digest;
  readonly bytes: number;
}

/** Writes a `skill.served` event for everything that an agent receives. Reads by people are not recorded. */
export async function recordServed(
  principal: Principal,
  served: readonly Served[],
  { audit, registry }: Pick<GatewayContext, "audit" | "registry">,
): Promise<void> {
  if (isPerson(principal)) return;
  const at = registry.clock.now().toISOString();
  const by = principalActor(principal);
  await Promise.all(
    served.map(async ({ skill, revision, ...event }) => {
      await audit.record({
        type: "skill.served",
        at,
        // Every skill that can be read has a valid id.
        skill: skill as SkillId,
        ...event,
        ...(revision === undefined ? {} : { revision }),
        by,
      });
    }),
  );
}
