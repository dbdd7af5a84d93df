import {
  PDFArray,
  PDFButton,
  PDFCheckBox,
  PDFDict,
  type PDFDocument,
  PDFDropdown,
  type PDFField,
  PDFName,
  PDFOptionList,
  PDFRadioGroup,
  PDFSignature,
  PDFTextField,
} from "@cantoo/pdf-lib";
import { clip } from "../shared/bounded.ts";
import { type JsonObject, type JsonValue } from "../shared/command.ts";

/** The fields of a document's form. Looks first, because the library makes a form where there is none. */
export function listFields(document: PDFDocument): readonly PDFField[] {
  return formOf(document) === undefined ? [] : document.getForm().getFields();
}

export function formOf(document: PDFDocument): PDFDict | undefined {
  const form = document.catalog.lookup(PDFName.of("AcroForm"));
  return form instanceof PDFDict ? form : undefined;
}

/** How many signatures there are that a change would break. */
export function findSignatures(document: PDFDocument): number {
  return listFields(document).filter(
    (field) => field instanceof PDFSignature && field.acroField.dict.has(PDFName.of("V")),
  ).length;
}

/** Whether the form is one of the kind that only Adobe's programs show (XFA). */
export function hasXfa(document: PDFDocument): boolean {
  return formOf(document)?.has(PDFName.of("XFA")) ?? false;
}

export type FieldType =
  | "text"
  | "checkbox"
  | "radio"
  | "dropdown"
  | "list"
  | "button"
  | "signature"
  | "unknown";

export function typeOf(field: PDFField): FieldType {
  if (field instanceof PDFTextField) return "text";
  if (field instanceof PDFCheckBox) return "checkbox";
  if (field instanceof PDFRadioGroup) return "radio";
  if (field instanceof PDFDropdown) return "dropdown";
  if (field instanceof PDFOptionList) return "list";
  if (field instanceof PDFButton) return "button";
  if (field instanceof PDFSignature) return "signature";
  return "unknown";
}

/** A field as an answer shows it. */
export function describeField(field: PDFField, pages: ReadonlyMap<PDFDict, number>): JsonObject {
  const options = optionsOf(field);
  return {
    name: clip(field.getName(), NAME_LENGTH),
    type: typeOf(field),
    value: readValue(field),
    pages: pagesOf(field, pages),
    options: options?.slice(0, OPTION_COUNT).map((option) => clip(option, NAME_LENGTH)),
    readOnly: field.isReadOnly() || undefined,
    required: field.isRequired() || undefined,
    multiline: (field instanceof PDFTextField && field.isMultiline()) || undefined,
    maxLength: field instanceof PDFTextField ? field.getMaxLength() : undefined,
  };
}

const NAME_LENGTH = 200;
const VALUE_LENGTH = 1000;
const OPTION_COUNT = 100;

export function optionsOf(field: PDFField): readonly string[] | undefined {
  const hasOptions =
    field instanceof PDFRadioGroup || field instanceof PDFDropdown || field instanceof PDFOptionList;
  return hasOptions ? field.getOptions() : undefined;
}

/** The value, or null where the field has one that cannot be read, as rich text. */
function readValue(field: PDFField): JsonValue | undefined {
  try {
    if (field instanceof PDFTextField) return clip(field.getText() ?? "", VALUE_LENGTH);
    if (field instanceof PDFCheckBox) return field.isChecked();
    if (field instanceof PDFRadioGroup) return field.getSelected() ?? "";
    if (field instanceof PDFDropdown || field instanceof PDFOptionList) return field.getSelected();
    return undefined;
  } catch {
    return null;
  }
}

function pagesOf(field: PDFField, pages: ReadonlyMap<PDFDict, number>): readonly number[] {
  const found = field.acroField.getWidgets().map((widget) => pages.get(widget.dict));
  return [...new Set(found.filter((page) => page !== undefined))];
}

/** The page, counted from 1, of every annotation. */
export function mapAnnotations(document: PDFDocument): ReadonlyMap<PDFDict, number> {
  const pages = new Map<PDFDict, number>();
  document.getPages().forEach((page, index) => {
    const annotations = page.node.lookup(PDFName.of("Annots"));
    if (!(annotations instanceof PDFArray)) return;
    for (let at = 0; at < annotations.size(); at += 1) {
      const annotation = annotations.lookup(at);
      if (annotation instanceof PDFDict) pages.set(annotation, index + 1);
    }
  });
  return pages;
}
