import { randomUUID } from "node:crypto";
import type { IndexCache } from "@skillhold/core/library";
import { scanDependencies } from "@skillhold/deps/scan";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import type { OpenRegistryLibraryOptions, RegistryLibrary } from "@skillhold/registry/library";
import type { RegistryContext } from "@skillhold/registry/record";
import { listOption, present } from "./option.ts";
import type { Io } from "./output.ts";
import type { CommandInput } from "./program.ts";
import { copiesFolder, isStoreThere, lookingAt, missingStore, showStore, storeUrl } from "./store-address.ts";

/** The store as one of the places that skills are found in. */
export interface RegistryLayer {
  readonly library: RegistryLibrary;
  readonly context: RegistryContext;
  /** Where it is, for people. */
  readonly address: string;
  readonly engine: "sqlite" | "postgres";
  readonly close: () => Promise<void>;
}

export interface LayerOptions extends Pick<OpenRegistryLibraryOptions, "host" | "onError"> {
  readonly limits: Limits;
  readonly cache: IndexCache | undefined;
  readonly isWatched: boolean;
}

/** What the store is called among the sources. */
export const STORE_LABEL = "registry";

/** Whether only the store was asked for: by its address or its label, and no folders beside it. */
export function isStoreAlone(options: CommandInput["options"], roots: readonly string[]): boolean {
  const labels = listOption(options, "source");
  const isNamed = typeof options["store"] === "string" || labels.length > 0;
  return isNamed && roots.length === 0 && labels.every((label) => label === STORE_LABEL);
}

/** The address of the store that is named; or of the user's own, where there is one and no folders are named. */
export function chooseStore(
  options: CommandInput["options"],
  io: Pick<Io, "env" | "cwd">,
  roots: readonly string[],
): string | undefined {
  if (typeof options["store"] === "string") return storeUrl(options, io);
  if (options["store"] === false || roots.length > 0) return undefined;
  const labels = listOption(options, "source");
  if (labels.includes(STORE_LABEL)) return storeUrl(options, io);
  const url = labels.length > 0 ? undefined : ownStore(io);
  return url !== undefined && isStoreThere(url) ? url : undefined;
}

/**
 * Reads which skills in folders are switched off, where the store itself is not looked at. Without the store nobody
 * could say, and so a failure is one; `--no-store` goes on without it.
 */
export async function readDisabledFolders({
  options,
  io,
}: Pick<CommandInput, "options" | "io">): Promise<ReadonlySet<string>> {
  const url = options["store"] === false ? undefined : ownStore(io);
  if (url === undefined || !isStoreThere(url)) return new Set();
  const { isNoRegistry, openRegistryStore } = await import("@skillhold/store");
  try {
    const store = await openRegistryStore(url, lookingAt(url));
    try {
      const toggles = await store.listToggles();
      return new Set(toggles.filter(({ isEnabled }) => !isEnabled).map(({ id }) => id));
    } finally {
      await store.close();
    }
  } catch (error) {
    if (isNoRegistry(error)) return new Set();
    throw withWayAround(error);
  }
}

/** Where there is no folder for a user's own things, there is no store of theirs either. */
function ownStore(io: Pick<Io, "env" | "cwd">): string | undefined {
  try {
    return storeUrl({}, io);
  } catch (error) {
    if (io.env["SKILLHOLD_STORE"]) throw error;
    return undefined;
  }
}

/**
 * Opens a store to look at; undefined where nothing was ever published to it, and nobody asked for it by name. What it
 * takes is loaded only now.
 */
export async function openRegistryLayer(
  url: string,
  { options, io }: Pick<CommandInput, "options" | "io">,
  layer: LayerOptions,
): Promise<RegistryLayer | undefined> {
  const isNamed = typeof options["store"] === "string" || listOption(options, "source").includes(STORE_LABEL);
  const { isNoRegistry } = await import("@skillhold/store");
  try {
    return await openLayer(url, io, layer);
  } catch (error) {
    if (!isNoRegistry(error)) throw typeof options["store"] === "string" ? error : withWayAround(error);
    if (isNamed) throw missingStore(url, io);
    return undefined;
  }
}

async function openLayer(
  url: string,
  io: Io,
  { host, limits, cache, isWatched, onError }: LayerOptions,
): Promise<RegistryLayer> {
  const [{ openRegistryStore }, { openRegistryLibrary }] = await Promise.all([
    import("@skillhold/store"),
    import("@skillhold/registry/library"),
  ]);
  const store = await openRegistryStore(url, lookingAt(url));
  try {
    const context = {
      store,
      clock: { now: () => new Date() },
      ids: { next: randomUUID },
      limits,
      scan: scanDependencies,
    };
    const place = { label: STORE_LABEL, copies: copiesFolder(url, io.env), name: url };
    const settings = { host, ...place, watch: isWatched, ...present({ cache, onError }) };
    const library = await openRegistryLibrary(settings, context);
    const { engine } = store;
    return { library, context, address: showStore(url, io), engine, close: () => store.close() };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Nobody asked for this store, so that skills in folders can be looked at without it. */
function withWayAround(error: unknown): unknown {
  if (!(error instanceof SkillError)) return error;
  const { code, message, hint, details } = error;
  return new SkillError(code, message, {
    hint: `${hint} Add --no-store to go on without the store.`,
    details,
    cause: error,
  });
}
