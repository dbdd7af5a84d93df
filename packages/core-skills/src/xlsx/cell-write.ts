import { ScriptError } from "../shared/script-error.ts";
import type { XmlElement } from "../shared/xml.ts";
import { type CellAddress, formatAddress } from "./cell-address.ts";
import type { CellInput } from "./cell-input.ts";
import { textItem } from "./cell-text.ts";
import { isoToSerial } from "./serial-date.ts";
import type { StyleTable } from "./style-table.ts";
import { makeElement } from "./xml.ts";

export interface WriteContext {
  readonly styles: StyleTable;
  readonly is1904: boolean;
  /** The value of `cm` that marks a formula as one that spills into its neighbors. */
  readonly spillMark: () => string;
}

/** Writes content into a cell. The cell keeps its style unless the content has a format. */
export function writeCell(
  element: XmlElement,
  input: CellInput,
  address: CellAddress,
  context: WriteContext,
): void {
  element.attributes.delete("t");
  // The mark of a formula that spills belongs to the formula that is overwritten.
  element.attributes.delete("cm");
  applyFormat(element, input, context);
  element.children = makeContent(element, input, address, context);
}

const TEXT_LENGTH = 32_767;
const FORMULA_LENGTH = 8192;

function applyFormat(element: XmlElement, input: CellInput, { styles }: WriteContext): void {
  if (!("format" in input) || input.format === undefined) return;
  const style = Number(element.attributes.get("s") ?? 0);
  // A date in a cell that already shows dates is shown as the others there.
  if (input.kind === "date" && styles.isDate(style)) return;
  element.attributes.set("s", String(styles.derive(style, { numberFormat: input.format })));
}

function makeContent(
  element: XmlElement,
  input: CellInput,
  address: CellAddress,
  { is1904, spillMark }: WriteContext,
): XmlElement[] {
  switch (input.kind) {
    case "empty":
      return [];
    case "text":
      return inlineText(element, input.text, address);
    case "number":
      return [valueElement(String(input.number))];
    case "boolean":
      element.attributes.set("t", "b");
      return [valueElement(input.isTrue ? "1" : "0")];
    case "formula":
      rejectLong(input.formula, FORMULA_LENGTH, address);
      if (input.isSpilling !== true) return [makeElement("f", {}, [input.formula])];
      element.attributes.set("cm", spillMark());
      return [makeElement("f", { t: "array", ref: formatAddress(address) }, [input.formula])];
    case "date": {
      const serial = isoToSerial(input.iso, is1904);
      // A day that sheets do not have, such as 1815-06-18, stays readable as text.
      return serial === undefined ? inlineText(element, input.iso, address) : [valueElement(String(serial))];
    }
  }
}

function inlineText(element: XmlElement, text: string, address: CellAddress): XmlElement[] {
  rejectLong(text, TEXT_LENGTH, address);
  element.attributes.set("t", "inlineStr");
  return [textItem("is", text)];
}

function rejectLong(text: string, length: number, address: CellAddress): void {
  if (text.length <= length) return;
  throw new ScriptError("CELL_TOO_LONG", `${formatAddress(address)} would get ${text.length} characters.`, {
    hint: `A cell holds at most ${TEXT_LENGTH} characters, and a formula ${FORMULA_LENGTH}.`,
  });
}

function valueElement(text: string): XmlElement {
  return makeElement("v", {}, [text]);
}
