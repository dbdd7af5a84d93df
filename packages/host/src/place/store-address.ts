import { hash } from "node:crypto";
import { existsSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { SkillError } from "@skillhold/protocol/error";
import { dataFolder } from "./data-folder.ts";
import type { Env, ProcessContext } from "./machine.ts";

const SQLITE = "sqlite:";

/** The URL of the named store, or of the user's own. */
export function storeUrl(named: string | undefined, { env, cwd }: ProcessContext): string {
  const url = named ?? (env["SKILLHOLD_STORE"] || undefined);
  if (url === undefined) return `${SQLITE}${join(dataFolder(env), "registry.db")}`;
  if (/^postgres(ql)?:\/\//.test(url)) return url;
  if (url.startsWith(SQLITE) && url.length > SQLITE.length)
    return `${SQLITE}${resolve(cwd, url.slice(SQLITE.length))}`;
  // The URL may hold a password, so the message does not repeat it.
  throw new SkillError("USAGE", "The store URL has an unknown scheme.", {
    hint: "Write sqlite:<file> or postgres://<user>@<host>/<database>.",
  });
}

/** The file of a SQLite store; undefined for a PostgreSQL database. */
export function storeFile(url: string): string | undefined {
  return url.startsWith(SQLITE) ? url.slice(SQLITE.length) : undefined;
}

/** False only for a SQLite file that does not exist. */
export function isStoreThere(url: string): boolean {
  const file = storeFile(url);
  return file === undefined || existsSync(file);
}

/** How to open a store for reading. Only a file is migrated: older programs may use a shared database. */
export function storeReadOptions(url: string) {
  return { create: false, upgrade: storeFile(url) !== undefined } as const;
}

/** Where revisions are laid out as folders: beside a SQLite file, or in the data folder by database. */
export function copiesFolder(url: string, env: Env): string {
  const file = storeFile(url);
  if (file !== undefined) return join(`${file}.d`, "revisions");
  return join(dataFolder(env), "revisions", hash("sha256", databaseOf(url), "hex").slice(0, 16));
}

/** The database that a URL names, whatever user connects to it. */
function databaseOf(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return "";
  const { hostname, port, pathname, username, searchParams } = parsed;
  // PostgreSQL's default database has the user's name.
  const database = pathname.length > 1 ? pathname.slice(1) : username;
  const others = [...searchParams].filter(([key]) => !/^(user|pass)/i.test(key)).sort();
  return JSON.stringify([hostname.toLowerCase(), port || "5432", database, others]);
}

/** The store's address for people, without its credentials. */
export function showStore(url: string, place: ProcessContext): string {
  const file = storeFile(url);
  if (file !== undefined) return `${SQLITE}${shortPath(place, file)}`;
  const parsed = URL.parse(url);
  return parsed === null ? "postgres://…" : `postgres://${parsed.host}${parsed.pathname}`;
}

/** A path for people: relative to the working folder or the home folder where that is shorter. */
export function shortPath({ cwd, env }: ProcessContext, path: string): string {
  // Skills of servers have URLs instead of paths.
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(path)) return path;
  const below = relative(cwd, path);
  if (below === "") return ".";
  if (below !== ".." && !below.startsWith(`..${sep}`)) return below;
  const home = env["HOME"];
  return home && path.startsWith(home + sep) ? `~${path.slice(home.length)}` : path;
}

/** The failure of reading a store that does not exist yet. */
export function missingStore(url: string, place: ProcessContext): SkillError {
  return new SkillError("STORE_FAILED", `The store ${showStore(url, place)} does not exist yet.`, {
    hint: "Run `skillhold publish <folder>` to create it, or name another with --store.",
  });
}
