import { hash } from "node:crypto";
import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { join, resolve } from "node:path";
import { SkillError } from "@skillhold/protocol/error";
import { dataFolder } from "./data-folder.ts";
import { textOption } from "./option.ts";
import type { Io } from "./output.ts";
import type { CommandInput } from "./program.ts";
import { shortPath } from "./text.ts";

const SQLITE = "sqlite:";

/** The store that is asked for, or the user's own. */
export function storeUrl(options: CommandInput["options"], io: Pick<Io, "env" | "cwd">): string {
  const url = textOption(options, "store") ?? (io.env["SKILLHOLD_STORE"] || undefined);
  if (url === undefined) return `${SQLITE}${join(dataFolder(io.env), "registry.db")}`;
  if (/^postgres(ql)?:\/\//.test(url)) return url;
  if (url.startsWith(SQLITE) && url.length > SQLITE.length)
    return `${SQLITE}${resolve(io.cwd, url.slice(SQLITE.length))}`;
  // The address may hold a password, and so it is not repeated.
  throw new SkillError("USAGE", "The address of the store is of no kind that is known.", {
    hint: "Write sqlite:<file> or postgres://<user>@<host>/<database>.",
  });
}

/** The file that the skills are in; undefined for a server's. */
export function storeFile(url: string): string | undefined {
  return url.startsWith(SQLITE) ? url.slice(SQLITE.length) : undefined;
}

/** False only for a file that is not there: whether a server is, shows when it is asked. */
export function isStoreThere(url: string): boolean {
  const file = storeFile(url);
  return file === undefined || existsSync(file);
}

/**
 * How a store is opened that is only looked at. A file is its user's alone, and is brought up to date; the database of
 * a server is also used by others, whose programs may be older.
 */
export function lookingAt(url: string) {
  return { create: false, upgrade: storeFile(url) !== undefined } as const;
}

/** Beside the file that the skills are in; for a server's in the user's data folder, each database in its own. */
export function copiesFolder(url: string, env: Io["env"]): string {
  const file = storeFile(url);
  if (file !== undefined) return join(`${file}.d`, "revisions");
  return join(dataFolder(env), "revisions", hash("sha256", databaseOf(url), "hex").slice(0, 16));
}

/** Which database it is, whoever asks for it. */
function databaseOf(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return "";
  const { hostname, port, pathname, username, searchParams } = parsed;
  // One that is not named has the name of the user.
  const database = pathname.length > 1 ? pathname.slice(1) : username;
  const others = [...searchParams].filter(([key]) => !/^(user|pass)/i.test(key)).sort();
  return JSON.stringify([hostname.toLowerCase(), port || "5432", database, others]);
}

/** For people: where the store is, without what may be secret. */
export function showStore(url: string, io: Pick<Io, "env" | "cwd">): string {
  const file = storeFile(url);
  if (file !== undefined) return `${SQLITE}${shortPath(io, file)}`;
  const parsed = URL.parse(url);
  return parsed === null ? "postgres://…" : `postgres://${parsed.host}${parsed.pathname}`;
}

/** The options that make another command look at the same store, with a blank before each. */
export function storeFlags(options: CommandInput["options"]): string {
  if (options["store"] === false) return " --no-store";
  const url = textOption(options, "store");
  if (url === undefined) return "";
  // A server's address may hold a password.
  if (!url.startsWith(SQLITE)) return " --store <url>";
  return ` --store ${/^[\w./~@+:-]+$/.test(url) ? url : JSON.stringify(url)}`;
}

/** Whose skills are one's own. */
export function userName(env: Io["env"]): string {
  return env["SKILLHOLD_USER"] || userInfo().username;
}

/** The failure for a store that is to be read before anything was written to it. */
export function missingStore(url: string, io: Pick<Io, "env" | "cwd">): SkillError {
  const message = `Nothing was published here yet: there is no store ${showStore(url, io)}.`;
  return new SkillError("STORE_FAILED", message, {
    hint: "`skillhold publish <folder>` makes it; `--store` names another one.",
  });
}
