import type { SecretScope, SecretStore } from "@skillhold/core";
import { SkillId } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { GatewayContext } from "../gateway-context.ts";
import type { Handlers } from "../http/handler.ts";
import { actorOf, type Principal } from "../principal.ts";
import { skillIdOf } from "./skill-key.ts";

export const secretHandlers: Pick<Handlers, "listSecrets" | "putSecret" | "deleteSecret"> = {
  listSecrets: async (_call, context) => {
    const names = await getSecrets(context).list();
    // Named one by one, so that nothing else a store may know is ever told.
    const secrets = names.map(({ skill, name, agent, setAt }) => ({ skill, name, agent, updatedAt: setAt }));
    return { data: { secrets } };
  },
  putSecret: async ({ params: { id, name }, query: { agent }, body, principal }, context) => {
    const secrets = getSecrets(context);
    const scope = await scopeOf(id, agent, context);
    await secrets.set(scope, name, body.value);
    await record("secret.set", { ...scope, name }, principal, context);
    return {};
  },
  deleteSecret: async ({ params: { id, name }, query: { agent }, principal }, context) => {
    const secrets = getSecrets(context);
    const scope = await scopeOf(id, agent, context);
    const wasThere = await secrets.remove(scope, name);
    if (wasThere) await record("secret.removed", { ...scope, name }, principal, context);
    return { data: { wasThere } };
  },
};

/** A change that is not on record is not acknowledged: whoever made it makes it again. */
async function record(
  type: "secret.set" | "secret.removed",
  { skill, ...named }: SecretScope & { readonly name: string },
  principal: Principal,
  { audit, registry }: GatewayContext,
): Promise<void> {
  const at = registry.clock.now().toISOString();
  await audit.record({ type, at, by: actorOf(principal), skill: SkillId.parse(skill), ...named });
}

function getSecrets({ secrets }: Pick<GatewayContext, "secrets">): SecretStore {
  if (secrets !== undefined) return secrets;
  throw new SkillError("NOT_READY", "This gateway keeps no secrets.", {
    hint: "Start it with a data folder of its own.",
  });
}

/** A run finds its secrets by the id of the skill, and by the key of the agent. */
async function scopeOf(
  key: string,
  agent: string | undefined,
  context: GatewayContext,
): Promise<SecretScope> {
  const skill = await skillIdOf(key, context);
  return { skill, ...(agent === undefined ? {} : { agent }) };
}
