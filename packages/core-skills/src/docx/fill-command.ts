import { isJsonObject } from "../shared/block-json.ts";
import { defineCommand } from "../shared/command.ts";
import { readJson } from "../shared/input-file.ts";
import { OfficePackage } from "../shared/office-package.ts";
import { saveOffice } from "../shared/office-save.ts";
import { chooseOutput, editOptions } from "../shared/output-file.ts";
import { ScriptError, usageError } from "../shared/script-error.ts";
import { fillTemplate, readTags } from "./fill-template.ts";
import { WordFile } from "./word-file.ts";

export const tagsCommand = defineCommand({
  name: "tags",
  summary: "List the {{tags}} of a template",
  operands: { label: "<template.docx>", min: 1, max: 1 },
  options: {},
  run: async ({ operands: [path = ""] }, io) => {
    const tags = await readTags(await WordFile.open(path, io));
    return {
      file: path,
      tags: tags.slice(0, 500).map(({ name, kind }) => ({ name: name.slice(0, 200), kind })),
      total: tags.length,
    };
  },
});

export const fillCommand = defineCommand({
  name: "fill",
  summary: "Fill the {{tags}} of a template with values",
  operands: { label: "<template.docx>", min: 1, max: 1 },
  options: {
    data: { type: "string", value: "json", help: "The values: a file, - for stdin, or inline JSON" },
    "allow-missing": { type: "boolean", help: "Leave tags without a value empty instead of failing" },
    ...editOptions,
  },
  details: `{{name}} is a value. {{#items}} … {{/items}} is repeated for each item of a list; around the cells of a table row
it repeats the row. With true or false as value it is kept or left out.
Data: {"name": "Ada", "items": [{"product": "Tea", "price": 3}], "logo": {"image": "logo.png", "width": 120},
"site": {"link": "https://example.com", "text": "our site"}}`,
  run: async ({ operands: [path = ""], options }, io) => {
    if (options.data === undefined) throw usageError("Specify the values: --data <json>.");
    const file = await WordFile.open(path, io);
    const output = await chooseOutput(options, [file.pkg.file], io);
    const data = await readJson(options.data, io);
    if (!isJsonObject(data)) throw usageError("The data must be an object of values.");
    const { bytes, missing, unused } = await fillTemplate(file, data, io);
    if (missing.length > 0 && options["allow-missing"] !== true) {
      throw new ScriptError(
        "MISSING_VALUES",
        `The data has no value for: ${missing.slice(0, 30).join(", ")}.`,
        {
          hint: "Add them, or leave them empty with --allow-missing.",
        },
      );
    }
    // The library has dates and an order of its own in the archive.
    const filled = new OfficePackage({ ...file.pkg.file, bytes });
    const allowance = { paragraphs: "any", elements: "any", source: file.pkg.file } as const;
    const saved = await saveOffice(new WordFile(filled), output, allowance);
    return { ...saved, missing: missing.slice(0, 100), unused: unused.slice(0, 100) };
  },
});
