import { isJsonObject } from "../shared/block-json.ts";
import type { JsonObject, JsonValue } from "../shared/command.ts";
import { childrenOf, descendantsOf, insertAfter, removeNode } from "../shared/office-xml.ts";
import { inputError } from "../shared/script-error.ts";
import { replaceInSegments } from "../shared/text-replace.ts";
import type { XmlElement } from "../shared/xml.ts";
import { segmentsOf } from "./shape-text.ts";
import { paragraphText } from "./slide-text.ts";

const OPEN = /\{\{\s*#\s*([\p{L}\p{N}_.-]{1,100})\s*\}\}/u;
const MARKS = /\{\{\s*[#/]\s*[\p{L}\p{N}_.-]{1,100}\s*\}\}/gu;
const MAX_ROWS = 200;

/** Repeats the rows of tables that stand between `{{#items}}` and `{{/items}}`, once for each item. */
export function repeatRows(
  root: XmlElement,
  data: JsonObject,
  fill: (paragraphs: readonly XmlElement[], item: JsonObject) => void,
): void {
  for (const table of descendantsOf(root, "a:tbl")) {
    for (const row of childrenOf(table, "a:tr")) {
      const text = descendantsOf(row, "a:p").map(paragraphText).join("\n");
      const name = OPEN.exec(text)?.[1];
      if (name !== undefined) repeatRow(row, name, data[name], fill);
    }
  }
}

function repeatRow(
  row: XmlElement,
  name: string,
  items: JsonValue | undefined,
  fill: (paragraphs: readonly XmlElement[], item: JsonObject) => void,
): void {
  const list = items ?? [];
  if (!Array.isArray(list))
    throw inputError("INVALID_DATA", `The value of ${name} must be a list, one item a row.`);
  if (list.length > MAX_ROWS)
    throw inputError("INVALID_DATA", `${name} has ${list.length} items; a slide takes ${MAX_ROWS}.`);
  const paragraphs = descendantsOf(row, "a:p");
  for (const paragraph of paragraphs) replaceInSegments(segmentsOf(paragraph), MARKS, () => "");
  let last = row;
  for (const item of list) {
    const copy = row.cloneNode(true);
    fill(descendantsOf(copy, "a:p"), isJsonObject(item) ? item : { value: item });
    insertAfter(copy, last);
    last = copy;
  }
  removeNode(row);
}
