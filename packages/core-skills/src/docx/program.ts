import { makePdfCommand } from "../shared/pdf-command.ts";
import type { Program } from "../shared/program.ts";
import { addCommand } from "./add-command.ts";
import { changesCommand } from "./changes-command.ts";
import { commentCommand } from "./comment-command.ts";
import { createCommand } from "./create-command.ts";
import { fillCommand, tagsCommand } from "./fill-command.ts";
import { imagesCommand } from "./images-command.ts";
import { infoCommand } from "./info-command.ts";
import { extractCommand, mergeCommand } from "./merge-command.ts";
import { metadataCommand } from "./metadata-command.ts";
import { readCommand } from "./read-command.ts";
import { replaceCommand } from "./replace-command.ts";
import { tablesCommand } from "./tables-command.ts";

export const program: Program = {
  name: "scripts/docx.mjs",
  summary: "Read, make and change Word documents (.docx)",
  commands: [
    infoCommand,
    readCommand,
    tablesCommand,
    createCommand,
    addCommand,
    replaceCommand,
    tagsCommand,
    fillCommand,
    mergeCommand,
    extractCommand,
    imagesCommand,
    changesCommand,
    metadataCommand,
    commentCommand,
    makePdfCommand("document", ".docx"),
  ],
};
