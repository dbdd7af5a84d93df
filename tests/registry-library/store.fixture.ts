import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scanDependencies } from "@skillhold/deps/scan";
import { defaultLimits } from "@skillhold/protocol";
import {
  type OpenRegistryLibraryOptions,
  openRegistryLibrary,
  type RegistryLibrary,
} from "@skillhold/registry/library";
import type { RegistryContext, RegistryStore } from "@skillhold/registry/record";
import type { Host } from "@skillhold/skill";
import { openRegistryStore } from "@skillhold/store/test/table/registry-store";
import { freshDatabase } from "../postgres-database.ts";

export const engines = ["sqlite", "postgres"] as const;
export type Engine = (typeof engines)[number];

export const anyone = { runtime: "test" };
export const host: Host = {
  platform: "linux",
  hasEnv: () => true,
  hasBin: () => true,
  hasConfig: () => true,
};

/** New stores of one engine with their folder and libraries. */
export class FreshStores {
  readonly #engine: Engine;
  #folder: string | undefined;
  readonly #closing: (() => Promise<void>)[] = [];

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  get folder(): string {
    this.#folder ??= mkdtempSync(join(tmpdir(), "skillhold-registry-library-"));
    return this.#folder;
  }

  async url(): Promise<string> {
    return this.#engine === "sqlite"
      ? `sqlite:${join(this.folder, `${randomUUID()}.db`)}`
      : await freshDatabase();
  }

  async open(url?: string): Promise<RegistryStore> {
    const store = await openRegistryStore(url ?? (await this.url()));
    this.#closing.push(() => store.close());
    return store;
  }

  async library(
    store: RegistryStore,
    options: Partial<OpenRegistryLibraryOptions> = {},
  ): Promise<RegistryLibrary> {
    const library = await openRegistryLibrary({ host, ...options }, contextOf(store));
    this.#closing.push(() => library.close());
    return library;
  }

  async close(): Promise<void> {
    for (const close of this.#closing.toReversed()) await close();
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  }
}

export function contextOf(store: RegistryStore): RegistryContext {
  const clock = { now: () => new Date() };
  return { store, clock, ids: { next: () => randomUUID() }, limits: defaultLimits, scan: scanDependencies };
}

/** The same store with some methods replaced. */
export function withAnswers(store: RegistryStore, answers: Partial<RegistryStore>): RegistryStore {
  return new Proxy(store, {
    get: (target, key) => {
      const own = Reflect.get(answers, key);
      if (own !== undefined) return own;
      const value = Reflect.get(target, key);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
