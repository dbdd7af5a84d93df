import type { TextRun } from "./text-line.ts";

/** An annotation as PDF.js describes it: the parts that are used. */
export interface Annotation {
  readonly subtype?: string;
  readonly rect?: readonly number[];
  readonly hidden?: boolean;
  readonly fieldType?: string | null;
  readonly fieldValue?: unknown;
  readonly checkBox?: boolean;
  readonly radioButton?: boolean;
  readonly buttonValue?: string | null;
  readonly exportValue?: string | null;
  readonly password?: boolean;
  readonly options?: readonly { readonly exportValue?: string; readonly displayValue?: string }[];
  readonly textContent?: readonly string[];
  readonly contentsObj?: { readonly str?: string };
  readonly defaultAppearanceData?: { readonly fontSize?: number };
}

/** The text that an annotation shows, at its place: values of form fields, free text and stamps. */
export function annotationRuns(annotation: Annotation): readonly TextRun[] {
  const text = textOf(annotation);
  const [left = 0, bottom = 0, right = left, top = bottom] = annotation.rect ?? [];
  if (text === "" || annotation.hidden === true) return [];
  const size = annotation.defaultAppearanceData?.fontSize || Math.min(12, Math.max(4, (top - bottom) * 0.7));
  const lines = text.split(/\r\n?|\n/).filter((line) => line.trim() !== "");
  const start = lines.length === 1 ? bottom + (top - bottom - size) / 2 : top - size;
  return lines.map((line, index) => ({
    text: line,
    x: left,
    y: start - index * size * 1.2,
    width: Math.max(right - left, 1),
    size,
  }));
}

/** How many form fields of the page have a value. */
export function countFormValues(annotations: readonly Annotation[]): number {
  return annotations.filter((each) => each.subtype === "Widget" && textOf(each) !== "").length;
}

function textOf(annotation: Annotation): string {
  if (annotation.subtype === "Widget") return fieldText(annotation);
  if (annotation.subtype !== "FreeText") return "";
  const shown = annotation.textContent?.join("\n").trim() ?? "";
  return shown === "" ? (annotation.contentsObj?.str ?? "").trim() : shown;
}

function fieldText({
  fieldType,
  fieldValue,
  options,
  checkBox,
  radioButton,
  exportValue,
  buttonValue,
  password,
}: Annotation): string {
  if (password === true) return "";
  if (checkBox === true) return isOn(fieldValue, exportValue) ? "[x]" : "";
  if (radioButton === true) return isOn(fieldValue, buttonValue) ? "[x]" : "";
  if (fieldType !== "Tx" && fieldType !== "Ch") return "";
  const values = (Array.isArray(fieldValue) ? fieldValue : [fieldValue]).filter(
    (each) => typeof each === "string",
  );
  const shown = values.map(
    (value) => options?.find((each) => each.exportValue === value)?.displayValue ?? value,
  );
  return shown.join(", ").trim();
}

function isOn(value: unknown, on: string | null | undefined): boolean {
  return typeof value === "string" && value !== "Off" && value === on;
}
