import { SkillError } from "@skillhold/protocol/error";
import { type ConfigText, entryAt, untouchable, withEntry, withoutEntry } from "./config-text.ts";
import { isTable, type Table } from "./table-value.ts";

/** Settings in JSON. A file with comments is left alone: they would be lost. */
export const jsonConfig: ConfigText = {
  find: (text, way) => entryAt(read(text), way),
  set: (text, way, entry) => write(withEntry(read(text), way, entry), text),
  remove: (text, way) => {
    const left = withoutEntry(read(text), way);
    return Object.keys(left).length === 0 ? undefined : write(left, text);
  },
  snippet: (way, entry) => JSON.stringify(withEntry({}, way, entry), undefined, 2),
};

function read(text: string): Table {
  const plain = text.replace(/^\u{feff}/u, "");
  if (plain.trim() === "") return {};
  let data: unknown;
  try {
    data = JSON.parse(plain, keepExact);
  } catch (error) {
    if (error instanceof SkillError) throw error;
    throw untouchable("it is not plain JSON, and may have comments that would be lost");
  }
  if (!isTable(data)) throw untouchable("it is not an object");
  return data;
}

/** A number that JavaScript cannot hold would be written as another one. */
function keepExact(_key: string, value: unknown, ...[context]: readonly unknown[]): unknown {
  if (typeof value !== "number" || !isTable(context)) return value;
  if (typeof context["source"] === "string" && Number.isInteger(value) && !Number.isSafeInteger(value))
    throw untouchable("it has a number that would not be written as it is");
  return value;
}

/** As the text before was written: its indentation, its line ends, and whether it ends with one. */
function write(data: Table, before: string): string {
  const indent = /\n([ \t]+)"/.exec(before)?.[1] ?? "  ";
  const text = JSON.stringify(data, undefined, indent);
  const end = before === "" || before.endsWith("\n") ? "\n" : "";
  const lines = `${text}${end}`;
  const mark = before.startsWith("\u{feff}") ? "\u{feff}" : "";
  return `${mark}${before.includes("\r\n") ? lines.replaceAll("\n", "\r\n") : lines}`;
}
