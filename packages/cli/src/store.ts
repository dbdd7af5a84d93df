import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scanDependencies } from "@skillhold/deps/scan";
import { copiesFolder, isStoreThere, missingStore, readingOptions, storeUrl } from "@skillhold/host/place";
import { keepCheckpoint, noticingStore, openSignedStore, withWaitNotice } from "@skillhold/host/store";
import type { Actor } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import { defaultLimits } from "@skillhold/protocol/limits";
import type { RegistryContext, RegistryStore } from "@skillhold/registry/record";
import { isNoRegistry, openRegistryStore } from "@skillhold/store";
import { readActor } from "./actor-option.ts";
import type { CommandInput } from "./command.ts";
import { storeFlags } from "./library-choice.ts";
import { textOption } from "./option.ts";
import { rehearse } from "./rehearsal.ts";
import { withStoreAdvice } from "./store-advice.ts";
import { type Io, plain } from "./terminal/output.ts";

/** The registry as a command works on it. */
export interface OpenedRegistry {
  readonly context: RegistryContext;
  /** Who does what the command does. */
  readonly actor: Actor;
  /** Where revisions are laid out for readers that have a file system. */
  readonly copies: string;
  /** The options that make another command look at the same store, with a blank before each. */
  readonly flags: string;
}

/** A command that looks at what is there, or changes it, fails where nothing ever was; one that writes makes the store. */
export type StoreUse = "read" | "change" | "write";

type Asked = Pick<CommandInput, "options" | "io">;

/** Opens the store of the common options for as long as it is used. With `--dry-run` nothing of it changes. */
export async function withRegistry<T>(
  { options, io }: Asked,
  kind: StoreUse,
  use: (opened: OpenedRegistry) => Promise<T>,
): Promise<T> {
  const url = storeUrl(textOption(options, "store"), io);
  const actor = readActor(options, io);
  const flags = storeFlags(options);
  return await withStore(url, kind, { options, io }, async (store) => {
    const clock = { now: () => new Date() };
    const context = {
      store,
      clock,
      ids: { next: randomUUID },
      limits: defaultLimits,
      scan: scanDependencies,
    };
    try {
      return await use({ context, actor, flags, copies: copiesFolder(url, io.env) });
    } catch (error) {
      throw await withStoreAdvice(error, { context, actor, flags, io });
    }
  });
}

/** What was written is written: that no note of it could be kept beside the store is told, and fails nothing. */
async function witness(store: RegistryStore, url: string, io: Io): Promise<void> {
  try {
    await keepCheckpoint(store, url, io);
  } catch (error) {
    if (!(error instanceof SkillError)) throw error;
    io.err(`warning: no note of the log was kept: ${plain(error.message)}\n`);
  }
}

async function withStore<T>(
  url: string,
  kind: StoreUse,
  { options, io }: Asked,
  use: (store: RegistryStore) => Promise<T>,
): Promise<T> {
  const isDryRun = options["dryRun"] === true;
  const tell = (message: string) => io.err(`note: ${message}\n`);
  const store = await withWaitNotice(tell, () => open(url, isDryRun ? "read" : kind, io));
  if (store === undefined) {
    if (kind === "write" && isDryRun) return await withEmptyStore(use);
    throw missingStore(url, io);
  }
  try {
    const result = await use(isDryRun ? rehearse(store) : noticingStore(store, tell));
    if (kind !== "read" && !isDryRun) await witness(store, url, io);
    return result;
  } finally {
    await store.close();
  }
}

/** Undefined where there is none, and none is made. */
async function open(
  url: string,
  kind: StoreUse,
  io: Pick<Io, "env" | "cwd">,
): Promise<RegistryStore | undefined> {
  if (kind === "write") return await openSignedStore(url, io);
  try {
    return kind === "change" && isStoreThere(url)
      ? await openSignedStore(url, io, { create: false })
      : await openRegistryStore(url, readingOptions(url));
  } catch (error) {
    if (isNoRegistry(error)) return undefined;
    throw error;
  }
}

/** What would happen in a store that is not there yet is seen in one that goes away again. */
async function withEmptyStore<T>(use: (store: RegistryStore) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "skillhold-store-"));
  try {
    const store = await openRegistryStore(`sqlite:${join(folder, "registry.db")}`);
    try {
      return await use(store);
    } finally {
      await store.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
