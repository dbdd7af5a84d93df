import { randomUUID } from "node:crypto";
import type { IndexCache } from "@skillhold/core/library";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import type { OpenRegistryLibraryOptions, RegistryLibrary } from "@skillhold/registry/library";
import type { RegistryContext } from "@skillhold/registry/record";
import { type ProcessContext, present } from "../place/machine.ts";
import {
  copiesFolder,
  isStoreThere,
  missingStore,
  showStore,
  storeFile,
  storeReadOptions,
  storeUrl,
} from "../place/store-address.ts";
import { scanOnUse } from "./dependency-scan.ts";

/** The label of the store among the sources. */
export const STORE_LABEL = "registry";

/** Which store to look at. */
export interface StoreChoice {
  /** A store's URL; false for none; undefined for the user's own, where it exists. */
  readonly store?: string | false;
  readonly root?: readonly string[];
  readonly source?: readonly string[];
}

/** The store as a layer of the library. */
export interface RegistryLayer {
  readonly library: RegistryLibrary;
  readonly context: RegistryContext;
  /** The store's address, for people. */
  readonly address: string;
  readonly engine: "sqlite" | "postgres";
  readonly close: () => Promise<void>;
}

export interface LayerOptions extends Pick<OpenRegistryLibraryOptions, "host" | "onError"> {
  readonly limits: Limits;
  readonly cache: IndexCache | undefined;
  readonly isWatched: boolean;
}

/** Whether the store is the only source: named by its URL or label, without folders. */
export function isStoreAlone({ store, source = [], root = [] }: StoreChoice): boolean {
  const isNamed = typeof store === "string" || source.length > 0;
  return isNamed && root.length === 0 && source.every((label) => label === STORE_LABEL);
}

/** The URL of the named store; or of the user's own, where it exists and no folders are named. */
export function chooseStore(choice: StoreChoice, place: ProcessContext): string | undefined {
  const { store, source = [], root = [] } = choice;
  if (typeof store === "string") return storeUrl(store, place);
  if (store === false || root.length > 0) return undefined;
  if (source.includes(STORE_LABEL)) return storeUrl(undefined, place);
  const url = source.length > 0 ? undefined : findOwnStore(place);
  return url !== undefined && isStoreThere(url) ? url : undefined;
}

/**
 * Reads which folder skills are switched off when the store itself is not a layer. A failure is an error, because the
 * answer is unknown; `--no-store` skips the check.
 */
export async function readDisabledFolders(
  { store: named }: StoreChoice,
  place: ProcessContext,
): Promise<ReadonlySet<string>> {
  const url = named === false ? undefined : findOwnStore(place);
  if (url === undefined || !isStoreThere(url) || (await isStoreEmpty(url))) return new Set();
  const { isNoRegistry, readFolderToggles } = await import("@skillhold/store");
  try {
    const toggles = await readFolderToggles(url, storeReadOptions(url));
    return new Set(toggles.filter(({ isEnabled }) => !isEnabled).map(({ id }) => id));
  } catch (error) {
    if (isNoRegistry(error)) return new Set();
    throw withoutStoreHint(error);
  }
}

/** Whether a store has no skills and switches off no folder skill. False where that takes long to find out. */
export async function isStoreEmpty(url: string): Promise<boolean> {
  const file = storeFile(url);
  if (file === undefined) return false;
  const { isEmptyRegistry } = await import("@skillhold/store");
  return await isEmptyRegistry(file);
}

/** The user's own store; undefined where the user has no data folder. */
export function findOwnStore(place: ProcessContext): string | undefined {
  try {
    return storeUrl(undefined, place);
  } catch (error) {
    if (place.env["SKILLHOLD_STORE"]) throw error;
    return undefined;
  }
}

/** Opens a store for reading; undefined when the default store is empty. */
export async function openRegistryLayer(
  url: string,
  { store: named, source = [] }: StoreChoice,
  place: ProcessContext,
  options: LayerOptions,
): Promise<RegistryLayer | undefined> {
  const { isNoRegistry } = await import("@skillhold/store");
  try {
    return await openLayer(url, place, options);
  } catch (error) {
    if (!isNoRegistry(error)) throw typeof named === "string" ? error : withoutStoreHint(error);
    if (typeof named === "string" || source.includes(STORE_LABEL)) throw missingStore(url, place);
    return undefined;
  }
}

async function openLayer(
  url: string,
  place: ProcessContext,
  { host, limits, cache, isWatched, onError }: LayerOptions,
): Promise<RegistryLayer> {
  const [{ openRegistryStore }, { openRegistryLibrary }] = await Promise.all([
    import("@skillhold/store"),
    import("@skillhold/registry/library"),
  ]);
  const store = await openRegistryStore(url, storeReadOptions(url));
  try {
    const context = {
      store,
      clock: { now: () => new Date() },
      ids: { next: randomUUID },
      limits,
      scan: scanOnUse,
    };
    const names = { label: STORE_LABEL, copies: copiesFolder(url, place.env), name: url };
    const library = await openRegistryLibrary(
      { host, ...names, watch: isWatched, ...present({ cache, onError }) },
      context,
    );
    const { engine } = store;
    return { library, context, address: showStore(url, place), engine, close: () => store.close() };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Adds a hint, because folder skills also work without the default store. */
function withoutStoreHint(error: unknown): unknown {
  if (!(error instanceof SkillError)) return error;
  const { code, message, hint, details } = error;
  return new SkillError(code, message, {
    hint: `${hint} Add --no-store to continue without the store.`,
    details,
    cause: error,
  });
}
