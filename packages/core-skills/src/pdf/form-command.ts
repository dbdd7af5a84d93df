import { PDFBool, type PDFFont, PDFName } from "@cantoo/pdf-lib";
import { boundList, clip } from "../shared/bounded.ts";
import { defineCommand, type JsonObject } from "../shared/command.ts";
import { readJson } from "../shared/input-file.ts";
import { chooseOutput, editOptions } from "../shared/output-file.ts";
import { inputError, ScriptError, usageError } from "../shared/script-error.ts";
import { isMixed } from "./bidi.ts";
import { labelFields } from "./field-label.ts";
import { fillField } from "./fill-field.ts";
import { fontOption, missingCharacters, readFont } from "./font.ts";
import { describeField, dropXfa, formOf, hasXfa, listFields, mapAnnotations } from "./form-field.ts";
import { addFormFonts } from "./form-font.ts";
import { type OpenedPdf, openToChange, openToRead, passwordOptions } from "./open-pdf.ts";
import { saveEdited, warnOfChange } from "./save-pdf.ts";

const operands = { label: "<file>", min: 1, max: 1 };
const FIELD_COUNT = 300;

export const fieldsCommand = defineCommand({
  name: "fields",
  summary: "List the fields of a form, with their values and options",
  operands,
  options: {
    match: { type: "string", value: "text", help: "Only fields whose name has this text in it" },
    ...passwordOptions,
  },
  details: `
"label" is the tooltip of the field, or the text beside or above it on the page. "boxes" are its places: the page and
[left, bottom, width, height] in points from the lower left corner; for radio groups with the option and its label.
At most ${FIELD_COUNT} fields are shown; narrow with --match.`,
  run: async ({ operands: [path = ""], options }, io) => {
    const { document, file, password } = await openToRead(path, options, io);
    const xfa = hasXfa(document);
    const wanted = options.match?.toLowerCase() ?? "";
    const fields = listFields(document).filter((field) => field.getName().toLowerCase().includes(wanted));
    const pages = mapAnnotations(document);
    const { items, total, truncated } = boundList(fields, FIELD_COUNT);
    const labels = await labelFields(items, pages, file, password);
    return {
      file: path,
      fields: items.map((field, index) => ({ ...describeField(field, pages), ...labels[index] })),
      total,
      truncated,
      xfa,
    };
  },
});

export const fillCommand = defineCommand({
  name: "fill",
  summary: "Fill in the fields of a form",
  operands,
  options: {
    data: {
      type: "string",
      value: "json",
      help: "Values by field name: a file, - for stdin, or the JSON itself",
    },
    flatten: { type: "boolean", help: "Turn the fields into plain content that cannot be changed" },
    ...fontOption,
    ...editOptions,
    ...passwordOptions,
  },
  details: `
Values: text for text fields, true or false for check boxes, one of the options for radio groups and dropdowns,
a list of options for lists. A name or value that does not fit is an error, and no file is written.

Example: fill form.pdf --data '{"name": "Ada", "agree": true}' --out filled.pdf`,
  run: async ({ operands: [path = ""], options }, io) => {
    if (options.data === undefined)
      throw usageError("Specify the values: --data values.json.", "See fields for names.");
    const values = await readJson(options.data, io);
    if (typeof values !== "object" || values === null || Array.isArray(values)) {
      throw inputError("INVALID_JSON", "The values are not an object of field names and values.");
    }
    const opened = await openToChange(path, options, io);
    const output = await chooseOutput(options, [opened.file], io);
    const warnings = [...warnOfChange(opened), ...dropXfa(opened.document, path)];
    const font = options.font === undefined ? undefined : await readFont(opened.document, options.font, io);
    // JSON that is no array and no plain value is an object.
    const drawn = fillAll(opened, values as JsonObject, font);
    if (options.flatten === true) flatten(opened, drawn);
    const saved = await saveEdited(opened, output, { mayLose: options.flatten === true ? ["Widget"] : [] });
    return {
      ...saved,
      filled: drawn.names,
      flattened: options.flatten ?? false,
      warnings: [...warnings, ...drawn.warnings],
    };
  },
});

interface Filled {
  readonly names: readonly string[];
  readonly missing: readonly string[];
  /** A value has text in both directions, which is left to viewers. */
  readonly isTurned: boolean;
  readonly warnings: readonly string[];
}

/** Fills every field, or throws before anything is written. */
function fillAll({ document, file }: OpenedPdf, values: JsonObject, chosen: PDFFont | undefined): Filled {
  const fields = new Map(listFields(document).map((field) => [field.getName(), field]));
  const unknown = Object.keys(values).filter((name) => !fields.has(name));
  if (unknown.length > 0) {
    throw new ScriptError(
      "UNKNOWN_FIELD",
      `${file.path} has no field ${unknown.slice(0, 10).map(quote).join(", ")}.`,
      {
        hint:
          fields.size === 0
            ? "It has no fields at all."
            : `Fields: ${clip([...fields.keys()].join(", "), 1000)}.`,
      },
    );
  }
  if (fields.size === 0) return { names: [], missing: [], isTurned: false, warnings: [] };
  const form = document.getForm();
  const font = chosen ?? form.getDefaultFont();
  addFormFonts(document, font);
  const missing = new Set<string>();
  for (const [name, value] of Object.entries(values)) {
    const field = fields.get(name);
    if (field === undefined) continue;
    for (const character of fillField(field, value ?? null, font)) missing.add(character);
  }
  // Otherwise the library draws the fields with its own font when it saves.
  if (chosen !== undefined) form.updateFieldAppearances(chosen);
  const names = Object.keys(values);
  const isTurned = Object.values(values).some((value) => typeof value === "string" && isMixed(value));
  if (missing.size === 0 && !isTurned) return { names, missing: [], isTurned, warnings: [] };
  formOf(document)?.set(PDFName.of("NeedAppearances"), PDFBool.True);
  const shown = [...missing].slice(0, 20).join(" ");
  const reason = missing.size === 0 ? "A value has text in both directions" : `The font lacks ${shown}`;
  const warning = `${reason}: the values are stored, and each viewer draws them itself.`;
  return { names, missing: [...missing], isTurned, warnings: [warning] };
}

function flatten({ document, file }: OpenedPdf, { missing, isTurned }: Filled): void {
  if (missing.length > 0) throw missingCharacters(missing, "With --flatten, a value");
  if (isTurned)
    throw new ScriptError("CANNOT_FLATTEN", "A value has text in both directions, which only viewers draw.", {
      hint: "Fill the form without --flatten, or write the text at its place with write.",
    });
  if (listFields(document).length === 0) return;
  try {
    document.getForm().flatten();
  } catch (error) {
    throw new ScriptError("CANNOT_FLATTEN", `${file.path} has form fields that cannot be flattened.`, {
      hint: "Fill the form without --flatten.",
      cause: error,
    });
  }
}

function quote(name: string): string {
  return JSON.stringify(clip(name, 80));
}
