import { defineCommand } from "../shared/command.ts";
import { propertyOptions, readProperties, writeProperties } from "../shared/office-properties.ts";
import { saveOffice } from "../shared/office-save.ts";
import { chooseOutput, editOptions } from "../shared/output-file.ts";
import { usageError } from "../shared/script-error.ts";
import { Deck } from "./deck.ts";

export const metadataCommand = defineCommand({
  name: "metadata",
  summary: "Set the title, author and other properties; an empty text takes one away",
  operands: { label: "<file.pptx>", min: 1, max: 1 },
  options: { ...propertyOptions, ...editOptions },
  run: async ({ operands: [path = ""], options }, io) => {
    const deck = await Deck.open(path, io);
    const output = await chooseOutput(options, [deck.pkg.file], io);
    const changed = writeProperties(deck.pkg, options);
    if (changed.length === 0) throw usageError("Specify a property, for example --title <text>.");
    return { ...(await saveOffice(deck, output)), properties: readProperties(deck.pkg) };
  },
});
