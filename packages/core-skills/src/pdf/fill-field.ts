import {
  PDFCheckBox,
  PDFDropdown,
  type PDFField,
  type PDFFont,
  PDFName,
  PDFOptionList,
  PDFRadioGroup,
  PDFTextField,
} from "@cantoo/pdf-lib";
import { clip } from "../shared/bounded.ts";
import type { JsonValue } from "../shared/command.ts";
import { ScriptError } from "../shared/script-error.ts";
import { isMixed } from "./bidi.ts";
import { findMissing } from "./font.ts";
import { optionsOf, typeOf } from "./form-field.ts";

/**
 * Sets one value, checked against the field. Returns the characters that the font cannot draw; such a field keeps
 * its value, and viewers draw it.
 */
export function fillField(field: PDFField, value: JsonValue, font: PDFFont): readonly string[] {
  if (field instanceof PDFTextField) return fillText(field, value, font);
  if (field instanceof PDFCheckBox) {
    if (typeof value !== "boolean") throw wrongValue(field, value, "true or false");
    if (value) field.check();
    else field.uncheck();
    return [];
  }
  if (field instanceof PDFRadioGroup) {
    if (value === null || value === "") field.clear();
    else field.select(readOption(field, value));
    return [];
  }
  if (field instanceof PDFDropdown || field instanceof PDFOptionList) return fillChoice(field, value, font);
  throw wrongValue(field, value, `nothing: it is a ${typeOf(field)}`);
}

function fillText(field: PDFTextField, value: JsonValue, font: PDFFont): readonly string[] {
  if (value !== null && typeof value !== "string" && typeof value !== "number") {
    throw wrongValue(field, value, "text");
  }
  const text = value === null ? "" : String(value);
  const maxLength = field.getMaxLength();
  if (maxLength !== undefined && text.length > maxLength) {
    throw wrongValue(field, value, `at most ${maxLength} characters`);
  }
  // A field with formatting of its own would go on showing the old text.
  if (field.isRichFormatted()) field.disableRichFormatting();
  field.acroField.dict.delete(PDFName.of("RV"));
  field.setText(text);
  return leaveToViewer(field, text, font);
}

function fillChoice(field: PDFDropdown | PDFOptionList, value: JsonValue, font: PDFFont): readonly string[] {
  if (value === null || value === "") {
    field.clear();
    return [];
  }
  const chosen = Array.isArray(value)
    ? value.map((each) => readOption(field, each))
    : [readOption(field, value)];
  if (chosen.length > 1 && !field.isMultiselect()) throw wrongValue(field, value, "one option");
  field.select(chosen);
  return leaveToViewer(field, chosen.join(""), font);
}

function readOption(field: PDFField, value: JsonValue): string {
  const options = optionsOf(field) ?? [];
  const isFree = field instanceof PDFDropdown && field.isEditable();
  if (typeof value === "string" && (isFree || options.includes(value))) return value;
  throw wrongValue(
    field,
    value,
    `one of: ${options.map((option) => JSON.stringify(clip(option, 80))).join(", ")}`,
  );
}

function leaveToViewer(field: PDFField, text: string, font: PDFFont): readonly string[] {
  const missing = findMissing(text, font);
  // The library draws a field in one direction.
  if (missing.length === 0 && !isMixed(text)) return [];
  for (const widget of field.acroField.getWidgets()) widget.dict.delete(PDFName.of("AP"));
  field.doc.getForm().markFieldAsClean(field.ref);
  return missing;
}

function wrongValue(field: PDFField, value: JsonValue, expected: string): ScriptError {
  return new ScriptError(
    "WRONG_VALUE",
    `The field ${JSON.stringify(clip(field.getName(), 80))} takes ${clip(expected, 1000)}, not ${clip(JSON.stringify(value), 80)}.`,
  );
}
