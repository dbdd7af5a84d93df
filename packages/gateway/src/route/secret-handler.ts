import type { SecretScope, SecretStore } from "@skillhold/core";
import { SkillError } from "@skillhold/protocol/error";
import type { GatewayContext } from "../gateway-context.ts";
import type { Handlers } from "../http/handler.ts";
import { skillIdOf } from "./skill-key.ts";

export const secretHandlers: Pick<Handlers, "listSecrets" | "putSecret" | "deleteSecret"> = {
  listSecrets: async (_call, context) => {
    const names = await getSecrets(context).list();
    // Named one by one, so that nothing else a store may know is ever told.
    const secrets = names.map(({ skill, name, agent, setAt }) => ({ skill, name, agent, updatedAt: setAt }));
    return { data: { secrets } };
  },
  putSecret: async ({ params: { id, name }, query: { agent }, body }, context) => {
    const secrets = getSecrets(context);
    await secrets.set(await scopeOf(id, agent, context), name, body.value);
    return {};
  },
  deleteSecret: async ({ params: { id, name }, query: { agent } }, context) => {
    const secrets = getSecrets(context);
    return { data: { wasThere: await secrets.remove(await scopeOf(id, agent, context), name) } };
  },
};

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
