import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { environmentPlaces } from "./environment-folder.ts";

/** What lies in an environment, for people and for the audit: which versions the specs came to. */
export interface EnvironmentRecord {
  /** What was asked for. */
  readonly specs: readonly string[];
  /** What of it could not be installed. */
  readonly failed: readonly string[];
  /** Everything that was installed, dependencies of dependencies too, as exact specs. */
  readonly packages: readonly string[];
}

export async function writeEnvironmentRecord(
  folder: string,
  about: Pick<EnvironmentRecord, "specs" | "failed">,
): Promise<void> {
  const packages = [...(await npmPackages(folder)), ...(await pipPackages(folder))].sort();
  const record: EnvironmentRecord = { ...about, packages };
  await writeFile(environmentPlaces(folder).record, `${JSON.stringify(record, null, 2)}\n`);
}

/** Undefined when there is no environment. */
export async function readEnvironmentRecord(folder: string): Promise<EnvironmentRecord | undefined> {
  const value = await readJson(environmentPlaces(folder).record);
  if (!isObject(value)) return undefined;
  const list = (key: string): readonly string[] => {
    const found = value[key];
    return Array.isArray(found) ? found.filter((each) => typeof each === "string") : [];
  };
  return { specs: list("specs"), failed: list("failed"), packages: list("packages") };
}

async function npmPackages(folder: string): Promise<readonly string[]> {
  const lock = await readJson(join(folder, "package-lock.json"));
  if (!isObject(lock) || !isObject(lock["packages"])) return [];
  return Object.entries(lock["packages"]).flatMap(([path, entry]) => {
    const name = path.split("node_modules/").at(-1);
    return path !== "" && isObject(entry) && name ? [`npm:${name}@${String(entry["version"])}`] : [];
  });
}

async function pipPackages(folder: string): Promise<readonly string[]> {
  const names = await readdir(environmentPlaces(folder).python).catch(() => []);
  return names.flatMap((entry) => {
    const [, name, version] = /^(.+)-([^-]+)\.dist-info$/.exec(entry) ?? [];
    return name === undefined ? [] : [`pip:${name}==${version}`];
  });
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch {
    // There is none, or it is damaged: then nothing is known.
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
