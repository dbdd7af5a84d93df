import { defineCommand } from "../shared/command.ts";
import { propertyOptions, readProperties, writeProperties } from "../shared/office-properties.ts";
import { saveOffice } from "../shared/office-save.ts";
import { chooseOutput, editOptions } from "../shared/output-file.ts";
import { usageError } from "../shared/script-error.ts";
import { WordFile } from "./word-file.ts";

export const metadataCommand = defineCommand({
  name: "metadata",
  summary: "Set the title, author and other properties; an empty text takes one away",
  operands: { label: "<file.docx>", min: 1, max: 1 },
  options: { ...propertyOptions, ...editOptions },
  run: async ({ operands: [path = ""], options }, io) => {
    const file = await WordFile.open(path, io);
    const output = await chooseOutput(options, [file.pkg.file], io);
    const changed = writeProperties(file.pkg, options);
    if (changed.length === 0) throw usageError("Specify a property, for example --title <text>.");
    return { ...(await saveOffice(file, output)), properties: readProperties(file.pkg) };
  },
});
