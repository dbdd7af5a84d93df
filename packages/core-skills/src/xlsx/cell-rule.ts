import type { JsonObject, JsonValue } from "../shared/command.ts";
import { usageError } from "../shared/script-error.ts";
import type { XmlElement } from "../shared/xml.ts";
import { formatAddress, formatRange, readRange } from "./cell-address.ts";
import { storeFormula } from "./formula-syntax.ts";
import { optionalBoolean, optionalString, readNumber, readString } from "./json-shape.ts";
import { isoToSerial } from "./serial-date.ts";
import type { Sheet } from "./sheet.ts";
import { sheetChild } from "./sheet-part.ts";
import { readColor, type StyleTable } from "./style-table.ts";
import { childrenOf, makeElement, walkXml } from "./xml.ts";

export const HIGHLIGHT_KEYS = ["sheet", "range", "rule", "value", "max", "fill", "color", "bold"] as const;
export const VALIDATION_KEYS = [
  "sheet",
  "range",
  "type",
  "list",
  "min",
  "max",
  "formula",
  "message",
  "allowBlank",
] as const;

const OPERATORS: Readonly<Record<string, string>> = {
  "greater-than": "greaterThan",
  "less-than": "lessThan",
  "at-least": "greaterThanOrEqual",
  "at-most": "lessThanOrEqual",
  equal: "equal",
  "not-equal": "notEqual",
  between: "between",
};
const RULES = [
  ...Object.keys(OPERATORS),
  "contains",
  "duplicates",
  "top",
  "formula",
  "color-scale",
  "data-bar",
];

/** Adds a conditional format to a range. */
export function addHighlight(sheet: Sheet, styles: StyleTable, step: JsonObject, where: string): JsonObject {
  const range = readRange(readString(step["range"], `${where}.range`));
  const rule = readString(step["rule"], `${where}.rule`);
  if (!RULES.includes(rule)) throw usageError(`${where}.rule must be one of ${RULES.join(", ")}.`);
  const priorities = [...walkXml(sheet.root)].flatMap((each) => Number(each.attributes.get("priority") ?? 0));
  const priority = String(Math.max(0, ...priorities) + 1);
  const corner = formatAddress({ row: range.top, column: range.left });
  const element = ruleElement(rule, step, corner, formatRange(range), where);
  element.attributes.set("priority", priority);
  if (rule !== "color-scale" && rule !== "data-bar") {
    element.attributes.set("dxfId", String(styles.addDifferential(readLook(step, where))));
  }
  const format = makeElement("conditionalFormatting", { sqref: formatRange(range) }, [element]);
  insertFormat(sheet.root, format);
  return { range: formatRange(range) };
}

/** Several of these may stand side by side, so that a new one goes after the last. */
function insertFormat(root: XmlElement, format: XmlElement): void {
  const known = childrenOf(root, "conditionalFormatting").at(-1);
  if (known !== undefined) {
    root.insertAt(root.children.indexOf(known) + 1, format);
    return;
  }
  const place = sheetChild(root, "conditionalFormatting");
  root.insertBefore(format, place);
  root.removeChild(place);
}

function ruleElement(
  rule: string,
  step: JsonObject,
  corner: string,
  range: string,
  where: string,
): XmlElement {
  const operator = OPERATORS[rule];
  const formula = (text: string) => makeElement("formula", {}, [text]);
  if (operator !== undefined) {
    const values = [formula(operand(step["value"], `${where}.value`))];
    if (rule === "between") values.push(formula(operand(step["max"], `${where}.max`)));
    return makeElement("cfRule", { type: "cellIs", operator }, values);
  }
  switch (rule) {
    case "contains": {
      const text = readString(step["value"], `${where}.value`);
      const quoted = `"${text.replaceAll('"', '""')}"`;
      return makeElement("cfRule", { type: "containsText", operator: "containsText", text }, [
        formula(`NOT(ISERROR(SEARCH(${quoted},${corner})))`),
      ]);
    }
    case "duplicates":
      return makeElement("cfRule", { type: "duplicateValues" });
    case "top":
      return makeElement("cfRule", {
        type: "top10",
        rank: String(readNumber(step["value"] ?? 10, `${where}.value`, { min: 1, max: 1000 })),
      });
    case "formula":
      return makeElement("cfRule", { type: "expression" }, [
        formula(storeFormula(readString(step["value"], `${where}.value`).replace(/^=/, "")).text),
      ]);
    case "color-scale":
      return makeElement("cfRule", { type: "colorScale" }, [scale(["F8696B", "FFEB84", "63BE7B"])]);
    case "data-bar":
      return makeElement("cfRule", { type: "dataBar" }, [
        makeElement("dataBar", {}, [
          makeElement("cfvo", { type: "min" }),
          makeElement("cfvo", { type: "max" }),
          makeElement("color", { rgb: "FF638EC6" }),
        ]),
      ]);
    default:
      throw usageError(`${where}.rule ${rule} does not fit ${range}.`);
  }
}

function scale(colors: readonly string[]): XmlElement {
  return makeElement("colorScale", {}, [
    makeElement("cfvo", { type: "min" }),
    makeElement("cfvo", { type: "percentile", val: "50" }),
    makeElement("cfvo", { type: "max" }),
    ...colors.map((color) => makeElement("color", { rgb: `FF${color}` })),
  ]);
}

function readLook(step: JsonObject, where: string) {
  const [fill, color] = [
    optionalString(step["fill"], `${where}.fill`),
    optionalString(step["color"], `${where}.color`),
  ];
  const bold = optionalBoolean(step["bold"], `${where}.bold`);
  const isBare = fill === undefined && color === undefined && bold === undefined;
  return {
    fill: fill === undefined ? (isBare ? "FFC7CE" : undefined) : readColor(fill),
    color: color === undefined ? (isBare ? "9C0006" : undefined) : readColor(color),
    bold,
  };
}

/** A value of a rule: a number, a date, a text, or a formula after `=`. */
function operand(value: JsonValue | undefined, where: string): string {
  if (typeof value === "number") return String(value);
  const text = readString(value, where);
  if (text.startsWith("=")) return storeFormula(text.slice(1)).text;
  const serial = /^\d{4}-\d\d-\d\d$/.test(text) ? isoToSerial(text, false) : undefined;
  return serial === undefined ? `"${text.replaceAll('"', '""')}"` : String(serial);
}

const TYPES: Readonly<Record<string, string>> = {
  whole: "whole",
  decimal: "decimal",
  date: "date",
  length: "textLength",
  list: "list",
  formula: "custom",
};

/** Adds a validation to a range: a list to choose from, or limits of a number, a date or a length. */
export function addValidation(sheet: Sheet, step: JsonObject, where: string): JsonObject {
  const range = readRange(readString(step["range"], `${where}.range`));
  const name = step["list"] === undefined ? readString(step["type"], `${where}.type`) : "list";
  const type = TYPES[name];
  if (type === undefined) throw usageError(`${where}.type must be one of ${Object.keys(TYPES).join(", ")}.`);
  const formulas = validationFormulas(name, step, where);
  const attributes: Record<string, string> = {
    type,
    ...operatorOf(name, step),
    allowBlank: optionalBoolean(step["allowBlank"], `${where}.allowBlank`) === false ? "0" : "1",
    showErrorMessage: "1",
    sqref: formatRange(range),
  };
  const message = optionalString(step["message"], `${where}.message`);
  if (message !== undefined) attributes["error"] = message.slice(0, 255);
  const list = sheetChild(sheet.root, "dataValidations");
  list.appendChild(
    makeElement(
      "dataValidation",
      attributes,
      formulas.map((text, index) => makeElement(`formula${index + 1}`, {}, [text])),
    ),
  );
  list.attributes.set("count", String(childrenOf(list).length));
  return { range: formatRange(range) };
}

function operatorOf(name: string, step: JsonObject): Record<string, string> {
  if (name === "list" || name === "formula") return {};
  if (step["min"] === undefined) return { operator: "lessThanOrEqual" };
  return { operator: step["max"] === undefined ? "greaterThanOrEqual" : "between" };
}

function validationFormulas(name: string, step: JsonObject, where: string): readonly string[] {
  if (name === "formula")
    return [storeFormula(readString(step["formula"], `${where}.formula`).replace(/^=/, "")).text];
  if (name !== "list") {
    const limits = [step["min"], step["max"]].filter((value) => value !== undefined);
    if (limits.length === 0) throw usageError(`${where} needs "min", "max" or both.`);
    return limits.map((value) => operand(value, where));
  }
  const list = step["list"];
  if (typeof list === "string") return [storeFormula(list.replace(/^=/, "")).text];
  const items = Array.isArray(list) ? list.map((item) => String(item)) : [];
  const text = items.join(",");
  if (items.length === 0 || text.length > 255 || items.some((item) => item.includes(",")))
    throw usageError(
      `${where}.list must have items without commas, 255 characters in all.`,
      'Put longer lists into cells and name the range: "list": "=Lists!A1:A40".',
    );
  return [`"${text.replaceAll('"', '""')}"`];
}
