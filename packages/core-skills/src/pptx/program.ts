import { makePdfCommand } from "../shared/pdf-command.ts";
import type { Program } from "../shared/program.ts";
import { chartCommand } from "./chart-command.ts";
import { addCommand, createCommand } from "./create-command.ts";
import { fillCommand, tagsCommand } from "./fill-command.ts";
import { imagesCommand } from "./images-command.ts";
import { infoCommand } from "./info-command.ts";
import { mergeCommand } from "./merge-command.ts";
import { metadataCommand } from "./metadata-command.ts";
import { notesCommand } from "./notes-command.ts";
import { readCommand } from "./read-command.ts";
import { replaceCommand } from "./replace-command.ts";
import { deleteCommand, duplicateCommand, reorderCommand } from "./slides-command.ts";

export const program: Program = {
  name: "scripts/pptx.mjs",
  summary: "Read, make and change PowerPoint presentations (.pptx)",
  commands: [
    infoCommand,
    readCommand,
    createCommand,
    addCommand,
    replaceCommand,
    tagsCommand,
    fillCommand,
    duplicateCommand,
    deleteCommand,
    reorderCommand,
    notesCommand,
    chartCommand,
    mergeCommand,
    imagesCommand,
    metadataCommand,
    makePdfCommand("deck", ".pptx"),
  ],
};
