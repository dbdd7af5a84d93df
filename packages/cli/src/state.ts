import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ApprovalStore } from "@skillhold/core/approval";
import type { Clock } from "@skillhold/core/port";
import { keyFile, type SecretStore } from "@skillhold/core/secret";
import { SkillError } from "@skillhold/protocol/error";
import { openStateDatabase, SqliteApprovals, SqliteSecrets } from "@skillhold/store";
import { dataFolder } from "./data-folder.ts";
import type { Io } from "./output.ts";
import { UserLog } from "./user-log.ts";

/** What outlives a command: what was approved, the sealed secrets, and the record of what was done. */
export interface State {
  readonly approvals: ApprovalStore;
  readonly secrets: SecretStore;
  readonly audit: UserLog;
  readonly clock: Clock;
}

/**
 * Tells of which secrets there are values, agents' own apart. Where nothing is kept, or it cannot be read, there are
 * none: who looks at skills need not be able to run them.
 */
export async function findSecrets({
  env,
  cwd,
}: Pick<Io, "env" | "cwd">): Promise<(skill: string, name: string) => boolean> {
  const known = new Set<string>();
  try {
    if (isStateThere({ env })) {
      const kept = await withState({ env, cwd }, ({ secrets }) => secrets.list());
      for (const { skill, name, agent } of kept) if (!agent) known.add(`${skill} ${name}`);
    }
  } catch (error) {
    if (!(error instanceof SkillError)) throw error;
  }
  return (skill, name) => known.has(`${skill} ${name}`);
}

/** Whether anything was ever kept. */
export function isStateThere({ env }: Pick<Io, "env">): boolean {
  return existsSync(join(dataFolder(env), "state.db"));
}

/** Opens the state of the user for as long as it is used. */
export async function withState<T>(
  io: Pick<Io, "env" | "cwd">,
  use: (state: State) => Promise<T>,
): Promise<T> {
  const folder = dataFolder(io.env);
  const keys = keyFile(join(folder, "secret.key"));
  const audit = new UserLog(io);
  const clock = { now: () => new Date() };
  const database = await openStateDatabase(join(folder, "state.db"));
  try {
    const approvals = new SqliteApprovals(database);
    const secrets = new SqliteSecrets(database, { keys, clock });
    return await use({ approvals, secrets, audit, clock });
  } finally {
    await audit.close();
    database.close();
  }
}
