import { type RecordedSecrets, removeSecret, type SecretScope, setSecret } from "@skillhold/core/secret";
import { SkillError } from "@skillhold/protocol/error";
import { principalActor } from "../auth/principal.ts";
import type { Handlers } from "../http/handler.ts";
import type { CatalogueContext } from "../running-context.ts";
import { skillIdOf } from "../skill/skill-key.ts";

export const secretHandlers: Pick<Handlers, "listSecrets" | "putSecret" | "deleteSecret"> = {
  listSecrets: async (_call, context) => {
    const names = await getSecrets(context).secrets.list();
    // The fields are listed, so that a store with more fields cannot disclose them.
    const secrets = names.map(({ skill, name, agent, setAt }) => ({ skill, name, agent, updatedAt: setAt }));
    return { data: { secrets } };
  },
  putSecret: async ({ params: { id, name }, query: { agent }, body, principal }, context) => {
    const secrets = getSecrets(context);
    const scope = await scopeOf(id, agent, context);
    await setSecret(scope, name, body.value, { by: principalActor(principal) }, secrets);
    return {};
  },
  deleteSecret: async ({ params: { id, name }, query: { agent }, principal }, context) => {
    const secrets = getSecrets(context);
    const scope = await scopeOf(id, agent, context);
    return {
      data: { wasThere: await removeSecret(scope, name, { by: principalActor(principal) }, secrets) },
    };
  },
};

function getSecrets({ secrets, audit, registry: { clock } }: CatalogueContext): RecordedSecrets {
  if (secrets !== undefined) return { secrets, audit, clock };
  throw new SkillError("NOT_READY", "This gateway has no secret store.", {
    hint: "Start it with a data folder: --data <folder>.",
  });
}

/** Runs look up secrets by skill id and agent key. */
async function scopeOf(
  key: string,
  agent: string | undefined,
  context: CatalogueContext,
): Promise<SecretScope> {
  const skill = await skillIdOf(key, context);
  return { skill, ...(agent === undefined ? {} : { agent }) };
}
