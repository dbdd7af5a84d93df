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
import { dataFolder } from "./data-folder.ts";
import type { Io } from "./output.ts";
import { showStore, storeUrl } from "./store-address.ts";

type Place = Pick<Io, "env" | "cwd">;

/** Opens a store to write to: its log is signed with the user's own key. */
export async function openSignedStore(
  url: string,
  { env }: Place,
  options: RegistryStoreOptions = {},
): Promise<RegistryStore> {
  return await openRegistryStore(url, { ...options, signer: await signingKeyFile(keyPath(env)) });
}

/** The key that the user's own signatures are verified with; undefined when nothing was ever signed here. */
export async function findOwnKey({ env }: Place): Promise<TrustedKey | undefined> {
  return await findTrustedKey(publicKeyFile(keyPath(env)));
}

/** Where notes about the log of a store are kept: one file a store, and never in the store itself. */
export function checkpointsOf(url: string, io: Place): CheckpointFile {
  const isOwn = url === storeUrl({}, { ...io, env: { ...io.env, SKILLHOLD_STORE: undefined } });
  // The address as it is shown has no password in it.
  const name = hash("sha256", showStore(url, { env: {}, cwd: "/" }), "hex").slice(0, 16);
  return checkpointFile(join(dataFolder(io.env), isOwn ? "checkpoints.log" : `checkpoints-${name}.log`));
}

/** Keeps a note of what was written to a store, for those who write without recording what agents do. */
export async function keepNote(
  store: Pick<RegistryStore, "findHead">,
  url: string,
  io: Place,
): Promise<void> {
  const note = (await store.findHead())?.note;
  const file = checkpointsOf(url, io);
  if (note !== undefined && (await file.read()).at(-1) !== note) await file.append(note);
}

function keyPath(env: Io["env"]): string {
  return join(dataFolder(env), "audit.key");
}
