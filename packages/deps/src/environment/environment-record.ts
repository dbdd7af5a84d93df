import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { environmentPlaces } from "./environment-folder.ts";

/**
 * The content of an environment, for users and for the audit log: the exact versions that the specs resolved
 * to.
 */
export interface EnvironmentRecord {
  /** The requested specs. */
  readonly specs: readonly string[];
  /** The requested specs that could not be installed. */
  readonly failed: readonly string[];
  /** All installed packages as exact specs, including transitive dependencies. */
  readonly packages: readonly string[];
  /** The hash of the locks, which pins the content of every package; absent in environments of older versions. */
  readonly lock?: string;
}

export async function writeEnvironmentRecord(
  folder: string,
  about: Pick<EnvironmentRecord, "specs" | "failed" | "lock">,
): Promise<void> {
  const packages = [...(await npmPackages(folder)), ...(await pipPackages(folder))].sort();
  const record: EnvironmentRecord = { ...about, packages };
  await writeFile(environmentPlaces(folder).record, `${JSON.stringify(record, null, 2)}\n`);
}

/** Returns undefined when there is no environment. */
export async function readEnvironmentRecord(folder: string): Promise<EnvironmentRecord | undefined> {
  const value = await readJson(environmentPlaces(folder).record);
  if (!isObject(value)) return undefined;
  const list = (key: string): readonly string[] => {
    const found = value[key];
    return Array.isArray(found) ? found.filter((each) => typeof each === "string") : [];
  };
  const lock = typeof value["lock"] === "string" ? { lock: value["lock"] } : {};
  return { specs: list("specs"), failed: list("failed"), packages: list("packages"), ...lock };
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
    // The record is missing or damaged.
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
