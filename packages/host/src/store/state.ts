import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ApprovalStore } from "@skillhold/core/approval";
import type { Clock } from "@skillhold/core/port";
import { type KeySource, keyFile, type SecretStore } from "@skillhold/core/secret";
import { SkillError } from "@skillhold/protocol/error";
import { openStateDatabase, SqliteApprovals, SqliteSecrets } from "@skillhold/store";
import { dataFolder } from "../place/data-folder.ts";
import type { Env, ProcessContext } from "../place/machine.ts";
import { UserLog } from "./user-log.ts";

/** The user's approvals, sealed secrets and record on this machine. */
export interface State {
  readonly approvals: ApprovalStore;
  readonly secrets: SecretStore;
  readonly audit: UserLog;
  readonly clock: Clock;
  readonly close: () => Promise<void>;
}

/** The key that seals secrets on this machine. */
export function secretKeys(env: Env): KeySource {
  return keyFile(join(dataFolder(env), "secret.key"));
}

/** Opens the user's state. The store of the record is opened by the first event. */
export async function openState(place: ProcessContext): Promise<State> {
  const folder = dataFolder(place.env);
  const keys = secretKeys(place.env);
  const audit = new UserLog(place);
  const clock = { now: () => new Date() };
  const database = await openStateDatabase(join(folder, "state.db"));
  const close = async () => {
    try {
      await audit.close();
    } finally {
      database.close();
    }
  };
  return {
    approvals: new SqliteApprovals(database),
    secrets: new SqliteSecrets(database, { keys, clock }),
    audit,
    clock,
    close,
  };
}

/** Opens the user's state for the time of one call. */
export async function withState<T>(place: ProcessContext, use: (state: State) => Promise<T>): Promise<T> {
  const state = await openState(place);
  try {
    return await use(state);
  } finally {
    await state.close();
  }
}

/** Returns a lookup for secrets with a value for all agents. Unreadable state means no secrets, because reading skills needs none. */
export async function findSecrets(place: ProcessContext): Promise<(skill: string, name: string) => boolean> {
  const known = new Set<string>();
  try {
    if (isStateThere(place.env)) {
      const kept = await withState(place, ({ secrets }) => secrets.list());
      for (const { skill, name, agent } of kept) if (!agent) known.add(`${skill} ${name}`);
    }
  } catch (error) {
    if (!(error instanceof SkillError)) throw error;
  }
  return (skill, name) => known.has(`${skill} ${name}`);
}

/** Whether the user's state was ever written. */
export function isStateThere(env: Env): boolean {
  return existsSync(join(dataFolder(env), "state.db"));
}
