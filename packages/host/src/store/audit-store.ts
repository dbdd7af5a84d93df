import { hash } from "node:crypto";
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import {
  type CheckpointFile,
  checkpointFile,
  findTrustedKey,
  httpWitness,
  logMemoryFile,
  publicKeyFile,
  signingKeyFile,
  type TrustedKey,
  type Witness,
} from "@skillhold/registry/audit";
import type { RegistryStore } from "@skillhold/registry/record";
import { openRegistryStore, type RegistryStoreOptions } from "@skillhold/store";
import { dataFolder, makeDataFolder } from "../place/data-folder.ts";
import type { ProcessContext } from "../place/machine.ts";
import { showStore, storeUrl } from "../place/store-address.ts";

/** The file of the key that signs the log, outside the data folder. */
export const AUDIT_KEY_VARIABLE = "SKILLHOLD_AUDIT_KEY";
/** A file or a URL that also receives every checkpoint. */
export const AUDIT_WITNESS_VARIABLE = "SKILLHOLD_AUDIT_WITNESS";

export interface SignedStoreOptions extends RegistryStoreOptions {
  /** Called when a checkpoint could not be kept. The log itself is durable. */
  readonly onCheckpointFailure?: (error: unknown) => void;
  /** Ignores the last seen state of the log, because an operator accepts the log as it is. */
  readonly forgetsLog?: boolean;
}

/** Opens a store for writing. Its log is signed with the user's own key and witnessed. */
export async function openSignedStore(
  url: string,
  place: ProcessContext,
  { onCheckpointFailure, forgetsLog = false, ...options }: SignedStoreOptions = {},
): Promise<RegistryStore> {
  const witnesses = [checkpointsOf(url, place).append, ...namedWitness(place)];
  await makeDataFolder(dataFolder(place.env));
  const memory = logMemoryFile(logFile(url, place, "audit-seen", ".json"));
  return await openRegistryStore(url, {
    ...options,
    signer: await signingKeyFile(auditKeyPath(url, place)),
    memory: forgetsLog ? { ...memory, load: async () => undefined } : memory,
    checkpoints: { witnesses, onFailure: onCheckpointFailure ?? (() => {}) },
  });
}

/** The key that verifies this machine's signatures of a store; undefined before the first signature. */
export async function findOwnKey(url: string, place: ProcessContext): Promise<TrustedKey | undefined> {
  return await findTrustedKey(publicKeyFile(auditKeyPath(url, place)));
}

/** The checkpoint file of a store's log. Each store has its own, outside the store. */
export function checkpointsOf(url: string, place: ProcessContext): CheckpointFile {
  return checkpointFile(logFile(url, place, "checkpoints", ".log"));
}

function logFile(url: string, place: ProcessContext, stem: string, extension: string): string {
  const isOwn = url === storeUrl(undefined, { ...place, env: { ...place.env, SKILLHOLD_STORE: undefined } });
  // The address as shown to people holds no password.
  const name = hash("sha256", showStore(url, { env: {}, cwd: "/" }), "hex").slice(0, 16);
  return join(dataFolder(place.env), `${stem}${isOwn ? "" : `-${name}`}${extension}`);
}

function namedWitness({ env, cwd }: ProcessContext): readonly Witness[] {
  const named = env[AUDIT_WITNESS_VARIABLE];
  if (!named) return [];
  return [/^https?:/.test(named) ? httpWitness(named) : checkpointFile(resolve(cwd, named)).append];
}

/**
 * All users of an SQLite store share the key beside it. Each machine that uses a PostgreSQL store has its own key in its
 * data folder.
 */
export function auditKeyPath(url: string, { env, cwd }: ProcessContext): string {
  const named = env[AUDIT_KEY_VARIABLE];
  if (named) return resolve(cwd, named);
  const [, file] = /^sqlite:(.+)$/.exec(url) ?? [];
  if (file === undefined) return join(dataFolder(env), "audit.key");
  const path = resolve(cwd, file);
  const older = join(dirname(path), "audit.key");
  return existsSync(older) ? older : join(`${path}.d`, "audit.key");
}
