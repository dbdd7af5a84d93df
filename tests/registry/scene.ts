import { randomUUID } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Published } from "@skillhold/core/test/session/publication";
import { scanDependencies } from "@skillhold/deps/scan";
import { type Actor, defaultLimits } from "@skillhold/protocol";
import type { RegistryContext, StoredEvent } from "@skillhold/registry/record";
import { type PublishFolderOptions, publishFolder } from "@skillhold/registry/release";
import { removeCopy } from "@skillhold/registry/test/release/copy-folder";
import { openRegistryStore } from "@skillhold/store/test/table/registry-store";
import { freshDatabase } from "../postgres-database.ts";

export const engines = ["sqlite", "postgres"] as const;
export type Engine = (typeof engines)[number];

export const ada: Actor = { user: "ada", role: "publisher" };
export const bob: Actor = { user: "bob", role: "publisher" };
export const admin: Actor = { user: "root", role: "admin" };
export const system: Actor = { user: "system", role: "system" };
export const adasAgent: Actor = { user: "ada", agent: "helper", role: "agent" };

/** A registry in an empty store, a folder to publish from and an adjustable clock. */
export interface Scene {
  readonly url: string;
  readonly folder: string;
  readonly context: RegistryContext;
  /** Advances the clock of the registry and the store. */
  pass(ms: number): void;
  /** Writes a skill and publishes it, by default as Ada. */
  publish(id: string, files?: SkillFiles, options?: Partial<PublishFolderOptions>): Promise<Published>;
  events(): Promise<readonly StoredEvent["event"][]>;
  close(): Promise<void>;
}

/** Files by path; a path that ends in `*` is executable. A missing SKILL.md is generated. */
export type SkillFiles = Readonly<Record<string, string | Uint8Array>>;

export async function openScene(engine: Engine): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), "skillhold-registry-"));
  const url = engine === "sqlite" ? `sqlite:${join(folder, "registry.db")}` : await freshDatabase();
  let ahead = 0;
  const clock = { now: () => new Date(Date.now() + ahead) };
  const store = await openRegistryStore(url, { clock });
  const context = {
    store,
    clock,
    ids: { next: () => randomUUID() },
    limits: defaultLimits,
    scan: scanDependencies,
    publicBy: "publisher" as const,
  };
  return {
    url,
    folder,
    context,
    pass: (ms) => {
      ahead += ms;
    },
    publish: async (id, files = {}, options = {}) => {
      const place = writeSkill(join(folder, "work", randomUUID()), id, files);
      return await publishFolder(place, { by: ada, ...options }, context);
    },
    events: async () => (await store.eventsAfter(0, 10_000)).map(({ event }) => event),
    close: async () => {
      await store.close();
      await removeCopy(folder);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Writes a skill to a folder named by its id and returns the folder. */
export function writeSkill(below: string, id: string, files: SkillFiles = {}): string {
  const folder = join(below, id);
  for (const [name, content] of Object.entries({ "SKILL.md": skillText(id), ...files })) {
    const path = join(folder, name.replace(/\*$/, ""));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    if (name.endsWith("*")) chmodSync(path, 0o755);
  }
  return folder;
}

export function skillText(
  name: string,
  body = "Do it.",
  fields: Readonly<Record<string, string>> = {},
): string {
  const lines = Object.entries({ name, description: `Does ${name} things.`, ...fields });
  return `---\n${lines.map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`).join("")}---\n\n${body}\n`;
}
