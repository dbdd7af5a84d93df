import { isJsonObject } from "../shared/block-json.ts";
import { clip } from "../shared/bounded.ts";
import { defineCommand, type JsonObject, type JsonValue } from "../shared/command.ts";
import { readJson } from "../shared/input-file.ts";
import { saveOffice } from "../shared/office-save.ts";
import { chooseOutput, editOptions } from "../shared/output-file.ts";
import { ScriptError, usageError } from "../shared/script-error.ts";
import { replaceInSegments } from "../shared/text-replace.ts";
import { Deck } from "./deck.ts";
import { repeatRows } from "./repeat-rows.ts";
import { editParagraphs, segmentsOf } from "./shape-text.ts";

/** A row that repeats for an empty list is removed with its contents. */
const FILLED = ["tr", "tc", "hlinkClick"];
const TAG = /\{\{\s*([\p{L}\p{N}_.-]{1,100})\s*\}\}/gu;

export const tagsCommand = defineCommand({
  name: "tags",
  summary: "List the {{tags}} of a template",
  operands: { label: "<template.pptx>", min: 1, max: 1 },
  options: {},
  run: async ({ operands: [path = ""] }, io) => {
    const deck = await Deck.open(path, io);
    const names = new Set<string>();
    editParagraphs(deck, deck.slides, (paragraph) => {
      const text = segmentsOf(paragraph)
        .map((segment) => segment.text)
        .join("");
      for (const [, name = ""] of text.matchAll(/\{\{\s*([#/]?[\p{L}\p{N}_.-]{1,100})\s*\}\}/gu))
        names.add(name);
    });
    const tags = [...names]
      .filter((name) => !name.startsWith("/"))
      .map((name) => ({
        name: name.replace(/^#/, ""),
        kind: name.startsWith("#") ? "block" : "value",
      }));
    return { file: path, tags: tags.slice(0, 500), total: tags.length };
  },
});

export const fillCommand = defineCommand({
  name: "fill",
  summary: "Fill the {{tags}} of a template with values",
  operands: { label: "<template.pptx>", min: 1, max: 1 },
  options: {
    data: { type: "string", value: "json", help: "The values: a file, - for stdin, or inline JSON" },
    "allow-missing": { type: "boolean", help: "Leave tags without a value empty instead of failing" },
    ...editOptions,
  },
  details: `{{name}} and {{customer.name}} are values, on slides and in notes. A table row that begins with {{#items}} and ends with
{{/items}} is repeated for each item of the list. Data: {"name": "Ada", "items": [{"product": "Tea", "price": 3}]}`,
  run: async ({ operands: [path = ""], options }, io) => {
    if (options.data === undefined) throw usageError("Specify the values: --data <json>.");
    const deck = await Deck.open(path, io);
    const output = await chooseOutput(options, [deck.pkg.file], io);
    const data = await readJson(options.data, io);
    if (!isJsonObject(data)) throw usageError("The data must be an object of values.");
    const { filled, missing } = fillDeck(deck, data);
    if (missing.length > 0 && options["allow-missing"] !== true) {
      throw new ScriptError(
        "MISSING_VALUES",
        `The data has no value for: ${missing.slice(0, 30).join(", ")}.`,
        {
          hint: "Add them, or leave them empty with --allow-missing.",
        },
      );
    }
    if (filled === 0) throw new ScriptError("NO_TAGS", `${path} has no {{tags}}; no file was written.`);
    const saved = await saveOffice(deck, output, { paragraphs: "any", elements: FILLED });
    return { ...saved, filled, missing: missing.slice(0, 100) };
  },
});

function fillDeck(
  deck: Deck,
  data: JsonObject,
): { readonly filled: number; readonly missing: readonly string[] } {
  const missing = new Set<string>();
  let filled = 0;
  const fill = (scopes: readonly JsonObject[]) => (paragraph: Parameters<typeof segmentsOf>[0]) => {
    filled += replaceInSegments(segmentsOf(paragraph), TAG, (match) => {
      const name = match.slice(2, -2).trim();
      const value = lookUp(scopes, name);
      if (value === undefined) missing.add(clip(name, 100));
      return value ?? "";
    });
  };
  for (const slide of deck.slides) {
    repeatRows(deck.pkg.edit(slide.part), data, (row, item) => {
      for (const paragraph of row) fill([item, data])(paragraph);
    });
  }
  editParagraphs(deck, deck.slides, fill([data]));
  return { filled, missing: [...missing] };
}

/** Looks in the item first, then in the data as a whole. `a.b` is the `b` of `a`. */
function lookUp(scopes: readonly JsonObject[], name: string): string | undefined {
  for (const scope of scopes) {
    const found = name
      .split(".")
      .reduce<JsonValue | undefined>(
        (value, key) => (isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined),
        scope,
      );
    if (found !== undefined && (found === null || typeof found !== "object"))
      return found === null ? "" : String(found);
  }
  return undefined;
}
