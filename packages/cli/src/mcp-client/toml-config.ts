import { isDeepStrictEqual } from "node:util";
import { parse, stringify } from "smol-toml";
import {
  type ConfigEntry,
  type ConfigText,
  entryAt,
  isTable,
  type Table,
  untouchable,
  withEntry,
  withoutEntry,
} from "./config-text.ts";

/**
 * Settings in TOML. Only whole tables of the entry change; the result is parsed again and rejected unless it has exactly
 * the expected data.
 */
export const tomlConfig: ConfigText = {
  find: (text, way) => entryAt(read(text), way),
  set: (text, way, entry) => {
    const kept = cut(text, way);
    const gap = kept === "" || kept.endsWith("\n\n") ? "" : kept.endsWith("\n") ? "\n" : "\n\n";
    return proven(`${kept}${gap}${block(way, entry)}`, withEntry(read(text), way, entry));
  },
  remove: (text, way) => {
    const left = proven(`${cut(text, way).trimEnd()}\n`, withoutEntry(read(text), way));
    return left.trim() === "" ? undefined : left;
  },
  snippet: block,
};

function read(text: string): Table {
  try {
    return parse(text);
  } catch {
    // The library's message is about grammar details that do not help the user.
    throw untouchable("it is not valid TOML");
  }
}

function block(way: readonly string[], entry: ConfigEntry): string {
  return `${stringify(withEntry({}, way, entry)).trim()}\n`;
}

/** The text without the tables of an entry: each header and the lines up to the next header. */
function cut(text: string, way: readonly string[]): string {
  let isOurs = false;
  const kept = text.split(/(?<=\n)/).filter((line) => {
    if (line.startsWith("[")) isOurs = isHeaderOf(line, way);
    return !isOurs;
  });
  return kept.join("");
}

/** Whether a line is the header of the table at this key path, or of a table inside it. */
function isHeaderOf(line: string, way: readonly string[]): boolean {
  const header = /^\[([^[\]]+)\]\s*(?:#.*)?$/.exec(line.trimEnd())?.[1];
  const names = header?.split(".").map((name) => name.trim().replace(/^(["'])(.*)\1$/, "$2"));
  return isDeepStrictEqual(names?.slice(0, way.length), [...way]);
}

function proven(text: string, expected: Table): string {
  // The library's tables have no prototype, so plain copies are compared.
  if (isDeepStrictEqual(plain(read(text)), plain(expected))) return text;
  throw untouchable("its entry cannot be edited safely");
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isTable(value) || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plain(member)]));
}
