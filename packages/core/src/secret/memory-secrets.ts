import type { Clock } from "../port.ts";
import type { SecretName, SecretScope, SecretStore } from "./secret.ts";
import { checkSecretName, checkSecretScope, checkSecretValue } from "./secret-name.ts";

interface Kept extends SecretName {
  readonly value: string;
}

/** Secrets that last as long as the process, for tests and for hosts that get them from elsewhere. */
export function memorySecrets(clock: Clock = { now: () => new Date() }): SecretStore {
  const kept = new Map<string, Kept>();
  return {
    list: async (scope) =>
      [...kept.entries()]
        .filter(([, secret]) => isListed(secret, scope))
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([, { value: _, ...name }]) => name),
    set: async (scope, name, value) => {
      checkSecretScope(scope);
      checkSecretName(name);
      checkSecretValue(name, value);
      const { skill, agent } = scope;
      const setAt = clock.now().toISOString();
      kept.set(keyOf(scope, name), { skill, ...(agent === undefined ? {} : { agent }), name, setAt, value });
    },
    remove: async (scope, name) => kept.delete(keyOf(scope, name)),
    open: async (scope, names) => {
      const values = new Map<string, string>();
      for (const name of names) {
        const found = kept.get(keyOf(scope, name)) ?? kept.get(keyOf({ skill: scope.skill }, name));
        if (found !== undefined) values.set(name, found.value);
      }
      return values;
    },
  };
}

function isListed(secret: SecretName, scope: SecretScope | undefined): boolean {
  if (scope === undefined) return true;
  return secret.skill === scope.skill && (scope.agent === undefined || secret.agent === scope.agent);
}

/** An agent's name is never empty, so that this is another key than that for all agents. */
function keyOf({ skill, agent = "" }: SecretScope, name: string): string {
  return [skill, agent, name].join("\0");
}
