import { hash } from "node:crypto";
import { join } from "node:path";
import {
  type CheckpointFile,
  checkpointFile,
  findTrustedKey,
  publicKeyFile,
  signingKeyFile,
  type TrustedKey,
} from "@skillhold/registry/audit";
import type { RegistryStore } from "@skillhold/registry/record";
import { openRegistryStore, type RegistryStoreOptions } from "@skillhold/store";
import { dataFolder } from "../place/data-folder.ts";
import type { Env, ProcessContext } from "../place/machine.ts";
import { showStore, storeUrl } from "../place/store-address.ts";

/** Opens a store for writing. Its log is signed with the user's own key. */
export async function openSignedStore(
  url: string,
  { env }: Pick<ProcessContext, "env">,
  options: RegistryStoreOptions = {},
): Promise<RegistryStore> {
  return await openRegistryStore(url, { ...options, signer: await signingKeyFile(keyPath(env)) });
}

/** The key that verifies the user's own signatures; undefined before the first signature. */
export async function findOwnKey({ env }: Pick<ProcessContext, "env">): Promise<TrustedKey | undefined> {
  return await findTrustedKey(publicKeyFile(keyPath(env)));
}

/** The checkpoint file of a store's log. Each store has its own, outside the store. */
export function checkpointsOf(url: string, place: ProcessContext): CheckpointFile {
  const isOwn = url === storeUrl(undefined, { ...place, env: { ...place.env, SKILLHOLD_STORE: undefined } });
  // The address as shown to people holds no password.
  const name = hash("sha256", showStore(url, { env: {}, cwd: "/" }), "hex").slice(0, 16);
  return checkpointFile(join(dataFolder(place.env), isOwn ? "checkpoints.log" : `checkpoints-${name}.log`));
}

/** Appends the log's current head to the checkpoint file, for writers that do not record agents' use. */
export async function keepCheckpoint(
  store: Pick<RegistryStore, "findHead">,
  url: string,
  place: ProcessContext,
): Promise<void> {
  const note = (await store.findHead())?.note;
  const file = checkpointsOf(url, place);
  if (note !== undefined && (await file.read()).at(-1) !== note) await file.append(note);
}

function keyPath(env: Env): string {
  return join(dataFolder(env), "audit.key");
}
