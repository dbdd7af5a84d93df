import { isDeepStrictEqual } from "node:util";
import type { Node } from "jsonc-parser";
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
import {
  cutProperty,
  dataOf,
  endOf,
  findProperty,
  hasComment,
  insertProperty,
  layoutOf,
  readTree,
  render,
  replaceValue,
  valueNode,
} from "./json-edit.ts";

/**
 * Settings in JSON, with or without comments. Only the text of the entry changes; the result is parsed again and
 * rejected unless it has exactly the expected data.
 */
export const jsonConfig: ConfigText = {
  find: (text, way) => {
    const { root } = read(text);
    if (root !== undefined) follow(root, way);
    return entryAt(dataIn(root), way);
  },
  set: (text, way, entry) => {
    const { mark, plain, root } = read(text);
    if (root === undefined) return `${mark}${begin(plain, way, entry)}`;
    const data = dataIn(root);
    const expected = withEntry(data, way, entry);
    const steps = follow(root, way);
    if (isDeepStrictEqual(entryAt(data, way), entry)) return text;
    const after = place(plain, { root, steps }, way, entry);
    return `${mark}${proven(after, (found) => isDeepStrictEqual(found, expected))}`;
  },
  remove: (text, way) => {
    const { mark, plain, root } = read(text);
    const steps = root === undefined ? [] : follow(root, way);
    if (steps.length < way.length) return text;
    const step = highestEmptied(plain, steps);
    if (step === undefined) return undefined;
    const rest = withoutEntry(dataIn(root), way);
    // Tables that contain only comments stay and are not a difference.
    const isRest = (found: Table) =>
      entryAt(found, way) === undefined && isDeepStrictEqual(withoutEntry(found, way), rest);
    return `${mark}${proven(cutProperty(plain, step.table, step.property), isRest)}`;
  },
  snippet: (way, entry) => JSON.stringify(withEntry({}, way, entry), undefined, 2),
};

/** A property on the key path, with its table. */
interface Step {
  readonly table: Node;
  readonly property: Node;
}

function read(text: string) {
  const mark = text.startsWith("\u{feff}") ? "\u{feff}" : "";
  const plain = text.slice(mark.length);
  return { mark, plain, root: readTree(plain) };
}

function dataIn(root: Node | undefined): Table {
  const data = root === undefined ? {} : dataOf(root);
  return isTable(data) ? data : {};
}

/** The existing properties of the key path. */
function follow(root: Node, way: readonly string[]): readonly Step[] {
  const steps: Step[] = [];
  let table = root;
  for (const key of way) {
    const property = findProperty(table, key);
    if (property === undefined) break;
    steps.push({ table, property });
    table = valueNode(property);
    if (table.type !== "object") break;
  }
  return steps;
}

/** Adds the entry to a text without data, which may contain comments. */
function begin(plain: string, way: readonly string[], entry: ConfigEntry): string {
  const { eol } = layoutOf(plain);
  const kept = plain.trimEnd();
  const gap = kept === "" ? "" : eol;
  const end = plain === kept && kept !== "" ? "" : eol;
  return `${kept}${gap}${render(withEntry({}, way, entry), "", plain)}${end}`;
}

/** Contract: `withEntry` accepted the data, so a value on the key path that is not a table is null. */
function place(
  text: string,
  { root, steps }: { readonly root: Node; readonly steps: readonly Step[] },
  way: readonly string[],
  entry: ConfigEntry,
): string {
  const last = steps.at(-1);
  const rest = way.slice(steps.length);
  const [key, ...below] = rest;
  const value = last === undefined ? root : valueNode(last.property);
  if (key !== undefined && value.type === "object")
    return insertProperty(text, value, key, below.length === 0 ? entry : withEntry({}, below, entry));
  return replaceValue(text, value, key === undefined ? entry : withEntry({}, rest, entry));
}

/** The topmost step that contains only the entry and no comment; undefined when that is the whole text. */
function highestEmptied(text: string, steps: readonly Step[]): Step | undefined {
  for (let at = steps.length - 1; at >= 0; at -= 1) {
    const step = steps[at];
    const outer = steps[at - 1]?.property;
    const [from, to] = outer === undefined ? [0, text.length] : [outer.offset, endOf(outer)];
    if (step === undefined || step.table.children?.length !== 1) return step;
    const { property } = step;
    if (hasComment(text, from, property.offset) || hasComment(text, endOf(property), to)) return step;
  }
  return undefined;
}

function proven(text: string, isExpected: (data: Table) => boolean): string {
  if (isExpected(dataIn(readTree(text)))) return text;
  throw untouchable("its entry cannot be edited safely");
}
