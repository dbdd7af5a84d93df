import { join } from "node:path";
import { keyFile, type SecretStore } from "@skillhold/core/secret";
import { openStateDatabase, SqliteSecrets } from "@skillhold/store";
import type { CloserList } from "./closer-list.ts";

/** The secrets of a gateway, and what readiness asks about them. */
export interface SecretPort {
  readonly secrets: SecretStore;
  /** Whether there is a value for all agents, as of the last change that was made here. */
  readonly hasSecret: (skill: string, name: string) => boolean;
}

export async function openSecrets(folder: string, closers: CloserList): Promise<SecretPort> {
  const database = closers.add(await openStateDatabase(join(folder, "state.db")), (it) => it.close());
  const keys = keyFile(join(folder, "secret.key"));
  const kept = new SqliteSecrets(database, { keys, clock: { now: () => new Date() } });
  const known = new Set<string>();
  const refresh = async () => {
    const names = await kept.list();
    known.clear();
    for (const { skill, name, agent } of names) if (agent === undefined) known.add(`${skill} ${name}`);
  };
  await refresh();
  const secrets: SecretStore = {
    list: (scope) => kept.list(scope),
    open: (scope, names) => kept.open(scope, names),
    set: async (scope, name, value) => {
      await kept.set(scope, name, value);
      await refresh();
    },
    remove: async (scope, name) => {
      const wasThere = await kept.remove(scope, name);
      await refresh();
      return wasThere;
    },
  };
  return { secrets, hasSecret: (skill, name) => known.has(`${skill} ${name}`) };
}
