import { SkillError } from "@skillhold/protocol/error";

/** The settings of one server in a client's file. */
export type ConfigEntry = Readonly<Record<string, unknown>>;

/** Settings as text, in which one entry is set or taken out and all else stays. */
export interface ConfigText {
  /** What stands at the end of the way, undefined when nothing does. */
  find(text: string, way: readonly string[]): unknown;
  set(text: string, way: readonly string[], entry: ConfigEntry): string;
  /** Undefined when nothing is left that anyone would miss. */
  remove(text: string, way: readonly string[]): string | undefined;
  /** What someone would add by hand. */
  snippet(way: readonly string[], entry: ConfigEntry): string;
}

/** The failure for a text that cannot be changed safely; the reason ends a sentence: "it is left as it is, because …". */
export function untouchable(reason: string): SkillError {
  return new SkillError("CONFIG_INVALID", reason);
}

/** A copy with an entry at the end of the way; tables on it are made where they are missing. */
export function withEntry(data: Table, [first, ...rest]: readonly string[], entry: unknown): Table {
  if (first === undefined) throw untouchable("it has no place for an entry");
  if (rest.length === 0) return { ...data, [first]: entry };
  const below = data[first] ?? {};
  if (!isTable(below)) throw untouchable(`\`${first}\` in it is not a table`);
  return { ...data, [first]: withEntry(below, rest, entry) };
}

/** A copy without the entry, and without tables on the way that held nothing else. */
export function withoutEntry(data: Table, [first, ...rest]: readonly string[]): Table {
  if (first === undefined) return data;
  const { [first]: below, ...others } = data;
  if (rest.length === 0 || !isTable(below)) return others;
  const left = withoutEntry(below, rest);
  return Object.keys(left).length === 0 ? others : { ...data, [first]: left };
}

export function entryAt(data: unknown, way: readonly string[]): unknown {
  return way.reduce<unknown>(
    (value, key) => (isTable(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    data,
  );
}

/** What JSON calls an object and TOML a table. */
export type Table = { [key: string]: unknown };

export function isTable(value: unknown): value is Table {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
