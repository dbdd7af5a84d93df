import type { Program } from "../shared/program.ts";
import { createCommand } from "./create-command.ts";
import { decryptCommand, encryptCommand } from "./encryption-command.ts";
import { fieldsCommand, fillCommand } from "./form-command.ts";
import { imagesCommand } from "./images-command.ts";
import { infoCommand } from "./info-command.ts";
import { mergeCommand } from "./merge-command.ts";
import { metadataCommand } from "./metadata-command.ts";
import { deleteCommand, extractCommand, rotateCommand, splitCommand } from "./page-command.ts";
import { renderCommand } from "./render-command.ts";
import { tablesCommand } from "./tables-command.ts";
import { textCommand } from "./text-command.ts";
import { watermarkCommand } from "./watermark-command.ts";
import { writeCommand } from "./write-command.ts";

export const program: Program = {
  name: "scripts/pdf.mjs",
  summary: "Reads, makes and changes PDF files",
  commands: [
    infoCommand,
    textCommand,
    tablesCommand,
    renderCommand,
    createCommand,
    mergeCommand,
    splitCommand,
    extractCommand,
    deleteCommand,
    rotateCommand,
    watermarkCommand,
    fieldsCommand,
    fillCommand,
    writeCommand,
    imagesCommand,
    metadataCommand,
    encryptCommand,
    decryptCommand,
  ],
};
