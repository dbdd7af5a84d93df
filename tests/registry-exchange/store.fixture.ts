import { randomUUID } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { scanDependencies } from "@skillhold/deps/scan";
import { type Actor, defaultLimits, type Limits } from "@skillhold/protocol";
import type {
  PublishHooks,
  RegisteredSkill,
  RegistryContext,
  RegistryStore,
  StoredEvent,
} from "@skillhold/registry/record";
import { openRegistryStore } from "@skillhold/store/test/table/registry-store";
import { freshDatabase } from "../postgres-database.ts";

export const engines = ["sqlite", "postgres"] as const;
export type Engine = (typeof engines)[number];

export const admin: Actor = { user: "ada", role: "admin" };
export const publisher: Actor = { user: "pat", role: "publisher" };
export const agent: Actor = { user: "pat", agent: "helper", role: "agent" };

/** A new folder and new stores of one engine for a test. */
export class Bench {
  readonly root = mkdtempSync(join(tmpdir(), "skillhold-exchange-"));
  readonly #engine: Engine;
  readonly #open: RegistryStore[] = [];

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async url(): Promise<string> {
    return this.#engine === "sqlite" ? `sqlite:${this.path(`${randomUUID()}.db`)}` : await freshDatabase();
  }

  async context(settings: BenchSettings = {}): Promise<RegistryContext> {
    const { limits = {}, hooks = {}, url } = settings;
    const store = await openRegistryStore(url ?? (await this.url()));
    this.#open.push(store);
    return {
      store,
      clock: { now: () => new Date() },
      ids: { next: () => randomUUID() },
      limits: { ...defaultLimits, ...limits },
      scan: scanDependencies,
      hooks,
    };
  }

  path(...parts: readonly string[]): string {
    return join(this.root, ...parts);
  }

  write(path: string, content: string | Uint8Array, mode = 0o644): string {
    const file = this.path(path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    chmodSync(file, mode);
    return file;
  }

  /** Writes a skill to a folder and returns the folder. */
  skill(path: string, body = "# Steps\n", yaml = "description: Does things."): string {
    const name = path.split("/").at(-1) ?? "";
    return dirname(this.write(`${path}/SKILL.md`, `---\nname: ${name}\n${yaml}\n---\n${body}`));
  }

  async close(): Promise<void> {
    for (const store of this.#open) await store.close();
    rmSync(this.root, { recursive: true, force: true });
  }
}

export interface BenchSettings {
  readonly limits?: Partial<Limits>;
  readonly hooks?: PublishHooks;
  readonly url?: string;
}

export async function eventsOf({ store }: RegistryContext): Promise<readonly StoredEvent["event"][]> {
  return (await store.eventsAfter(0, 1000)).map(({ event }) => event);
}

/** The row of an existing skill. */
export async function getRow(id: string, { store }: RegistryContext): Promise<RegisteredSkill> {
  return (await store.findSkill(id)) ?? fail();
}

export function fail(): never {
  throw new Error("it is not there");
}

/** A store that cannot be written. */
export function withoutWrites(context: RegistryContext): RegistryContext {
  const { store } = context;
  const refuse = () => {
    throw new Error("it was written to");
  };
  const blobs = new Proxy(store.blobs, {
    get: (target, key) => bind(target, key, ["put", "remove", "sweep"]),
  });
  function bind(target: object, key: string | symbol, refused: readonly string[]): unknown {
    if (refused.includes(String(key))) return refuse;
    if (key === "blobs") return blobs;
    const value: unknown = Reflect.get(target, key);
    return typeof value === "function" ? value.bind(target) : value;
  }
  return {
    ...context,
    store: new Proxy(store, { get: (target, key) => bind(target, key, ["transaction"]) }),
  };
}
