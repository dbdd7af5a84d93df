import type { XmlElement } from "../shared/xml.ts";
import { decodeText, itemText } from "./cell-text.ts";
import { serialToIso } from "./serial-date.ts";
import type { StyleTable } from "./style-table.ts";
import { childOf, childrenOf, textOf } from "./xml.ts";

/** What a cell shows, as data. Dates are ISO text. */
export interface CellContent {
  readonly type: "empty" | "text" | "number" | "boolean" | "date" | "error";
  readonly value: string | number | boolean | null;
}

export interface ReadContext {
  readonly strings: readonly XmlElement[];
  readonly styles: StyleTable;
  readonly is1904: boolean;
}

/** Reads the value of a cell: of a formula, the result that was stored with it. */
export function readCell(element: XmlElement, context: ReadContext): CellContent {
  const type = element.attributes.get("t") ?? "n";
  if (type === "inlineStr") return text(childrenOf(element, "is").map(itemText).join(""));
  const value = childOf(element, "v");
  if (value === undefined) return EMPTY;
  const raw = textOf(value);
  switch (type) {
    case "s": {
      const item = context.strings[Number(raw)];
      return text(item === undefined ? "" : itemText(item));
    }
    case "str":
      return text(decodeText(raw));
    case "b":
      return { type: "boolean", value: raw === "1" || raw === "true" };
    case "e":
      return { type: "error", value: raw };
    case "d":
      return { type: "date", value: raw.replace(/T00:00:00(\.0+)?Z?$|Z$/, "") };
    default:
      return readNumber(raw, element, context);
  }
}

const EMPTY: CellContent = { type: "empty", value: null };

function text(value: string): CellContent {
  return { type: "text", value };
}

function readNumber(raw: string, element: XmlElement, { styles, is1904 }: ReadContext): CellContent {
  if (raw.trim() === "") return EMPTY;
  const number = Number(raw);
  if (!Number.isFinite(number)) return text(raw);
  const iso = styles.isDate(Number(element.attributes.get("s") ?? 0))
    ? serialToIso(number, is1904)
    : undefined;
  return iso === undefined ? { type: "number", value: number } : { type: "date", value: iso };
}
