import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import type { Clock } from "@skillhold/core/port";
import {
  checkSecretName,
  checkSecretScope,
  checkSecretValue,
  type KeySource,
  type SecretName,
  type SecretPlace,
  type SecretScope,
  type SecretStore,
  seal,
  unseal,
} from "@skillhold/core/secret";
import { attemptState } from "./sqlite-state.ts";

export interface SecretPorts {
  readonly keys: KeySource;
  readonly clock: Clock;
}

/** Encrypted secrets in the state file. A value can be decrypted only with the key and at its place. */
export class SqliteSecrets implements SecretStore {
  readonly #database: DatabaseSync;
  readonly #ports: SecretPorts;

  /** Contract: opened by `openStateDatabase`. */
  constructor(database: DatabaseSync, ports: SecretPorts) {
    this.#database = database;
    this.#ports = ports;
  }

  async list(scope?: SecretScope): Promise<readonly SecretName[]> {
    const { skill = null, agent = null } = scope ?? {};
    const sql = `select skill, agent, name, set_ms from secret
      where (? is null or skill = ?) and (? is null or agent = ?) order by skill, agent, name`;
    return this.#attempt(() => this.#database.prepare(sql).all(skill, skill, agent, agent)).map(toName);
  }

  async set(scope: SecretScope, name: string, value: string): Promise<void> {
    checkSecretScope(scope);
    checkSecretName(name);
    checkSecretValue(name, value);
    const sealed = seal(value, placeOf(scope, name), await this.#ports.keys.key());
    const sql = `insert into secret (skill, agent, name, sealed, set_ms) values (?, ?, ?, ?, ?)
      on conflict do update set sealed = excluded.sealed, set_ms = excluded.set_ms`;
    const { skill, agent = "" } = scope;
    const now = this.#ports.clock.now().getTime();
    this.#attempt(() => this.#database.prepare(sql).run(skill, agent, name, sealed, now));
  }

  async remove({ skill, agent = "" }: SecretScope, name: string): Promise<boolean> {
    const sql = "delete from secret where skill = ? and agent = ? and name = ?";
    return Number(this.#attempt(() => this.#database.prepare(sql).run(skill, agent, name)).changes) > 0;
  }

  async open(scope: SecretScope, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = names.flatMap((name) => this.#find(scope, name) ?? []);
    // Without secrets there may be no key.
    if (found.length === 0) return new Map();
    const key = await this.#ports.keys.key();
    return new Map(found.map(({ place, sealed }) => [place.name, unseal(sealed, place, key)]));
  }

  /** The agent's own secret, or the shared one. If its own cannot be decrypted, that is an error. */
  #find(scope: SecretScope, name: string): Sealed | undefined {
    const sql = `select agent, sealed from secret where skill = ? and agent in (?, '') and name = ?
      order by agent desc limit 1`;
    const { skill, agent = "" } = scope;
    const row = this.#attempt(() => this.#database.prepare(sql).get(skill, agent, name));
    if (row === undefined) return undefined;
    // The column is `blob not null` in a strict table.
    return {
      place: placeOf(row["agent"] === "" ? { skill } : scope, name),
      sealed: row["sealed"] as Uint8Array,
    };
  }

  #attempt<T>(work: () => T): T {
    return attemptState(this.#database.location() ?? "memory", work);
  }
}

interface Sealed {
  readonly place: SecretPlace;
  readonly sealed: Uint8Array;
}

function placeOf({ skill, agent }: SecretScope, name: string): SecretPlace {
  return { skill, ...(agent === undefined ? {} : { agent }), name };
}

function toName(row: Readonly<Record<string, SQLOutputValue>>): SecretName {
  const agent = String(row["agent"]);
  return {
    skill: String(row["skill"]),
    ...(agent === "" ? {} : { agent }),
    name: String(row["name"]),
    setAt: new Date(Number(row["set_ms"])).toISOString(),
  };
}
