import { SkillError } from "@skillhold/protocol/error";

/** The settings of one server in a client's file. */
export type ConfigEntry = Readonly<Record<string, unknown>>;

/** Edits one entry in the text of a settings file and keeps the rest unchanged. */
export interface ConfigText {
  /** The value at a key path, or undefined. */
  find(text: string, way: readonly string[]): unknown;
  set(text: string, way: readonly string[], entry: ConfigEntry): string;
  /** Undefined when the rest of the file is empty. */
  remove(text: string, way: readonly string[]): string | undefined;
  /** The lines to add by hand. */
  snippet(way: readonly string[], entry: ConfigEntry): string;
}

/** The error for a text that cannot be edited safely; the reason follows "was not changed: ". */
export function untouchable(reason: string): SkillError {
  return new SkillError("CONFIG_INVALID", reason);
}

/** A copy with the entry at a key path; missing tables are created. */
export function withEntry(data: Table, [first, ...rest]: readonly string[], entry: unknown): Table {
  if (first === undefined) throw untouchable("the key path is empty");
  if (rest.length === 0) return { ...data, [first]: entry };
  const below = data[first] ?? {};
  if (!isTable(below)) throw untouchable(`\`${first}\` is not a table`);
  return { ...data, [first]: withEntry(below, rest, entry) };
}

/** A copy without the entry and without the tables that become empty. */
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

/** A JSON object or a TOML table. */
export type Table = { [key: string]: unknown };

export function isTable(value: unknown): value is Table {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
