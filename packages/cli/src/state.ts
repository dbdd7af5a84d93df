import { join } from "node:path";
import { type ApprovalStore, type AuditSink, keyFile, type SecretStore } from "@skillhold/core";
import { openAuditFile, openStateDatabase, SqliteApprovals, SqliteSecrets } from "@skillhold/store";
import { dataFolder } from "./data-folder.ts";
import type { Io } from "./output.ts";

/** What outlives a command: what was approved, the sealed secrets, and the record of what was done. */
export interface State {
  readonly approvals: ApprovalStore;
  readonly secrets: SecretStore;
  readonly audit: AuditSink;
}

/** Opens the state of the user for as long as it is used. */
export async function withState<T>({ env }: Pick<Io, "env">, use: (state: State) => Promise<T>): Promise<T> {
  const folder = dataFolder(env);
  const keys = keyFile(join(folder, "secret.key"));
  const audit = openAuditFile(join(folder, "audit.jsonl"));
  const database = await openStateDatabase(join(folder, "state.db"));
  try {
    const approvals = new SqliteApprovals(database);
    const secrets = new SqliteSecrets(database, { keys, clock: { now: () => new Date() } });
    return await use({ approvals, secrets, audit });
  } finally {
    await audit.close();
    database.close();
  }
}
