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
import type { JsonObject, JsonValue } from "../shared/command.ts";

/** The fields of a document's form. Checks first, because the library adds a form to a document without one. */
export function listFields(document: PDFDocument): readonly PDFField[] {
  const form = formOf(document);
  if (form === undefined) return [];
  // The library removes the XFA layer, and logs that.
  return document.getForm().getFields();
}

export function formOf(document: PDFDocument): PDFDict | undefined {
  const form = document.catalog.lookup(PDFName.of("AcroForm"));
  return form instanceof PDFDict ? form : undefined;
}

/** How many signatures a change would break. Reads the fields itself, because the library drops XFA layers on the way. */
export function findSignatures(document: PDFDocument): number {
  const seen = new Set<PDFDict>();
  const count = (list: unknown, inherited: unknown): number => {
    if (!(list instanceof PDFArray)) return 0;
    let found = 0;
    for (let at = 0; at < list.size(); at += 1) {
      const field = list.lookup(at);
      if (!(field instanceof PDFDict) || seen.has(field)) continue;
      seen.add(field);
      const type = field.lookup(PDFName.of("FT")) ?? inherited;
      if (type === PDFName.of("Sig") && field.has(PDFName.of("V"))) found += 1;
      found += count(field.lookup(PDFName.of("Kids")), type);
    }
    return found;
  };
  return count(formOf(document)?.lookup(PDFName.of("Fields")), undefined);
}

/** Removes the XFA layer, which does not fit changed fields or pages. Returns a warning when there was one. */
export function dropXfa(document: PDFDocument, path: string): readonly string[] {
  if (!hasXfa(document)) return [];
  formOf(document)?.delete(PDFName.of("XFA"));
  return [
    `${path} has a second form layer (XFA), which the new file does not have: its scripts and checks no longer run.`,
  ];
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
