import { makePdfCommand } from "../shared/pdf-command.ts";
import type { Program } from "../shared/program.ts";
import { convertCommand } from "./convert.ts";
import { createCommand } from "./create.ts";
import { editCommand } from "./edit.ts";
import { fillCommand } from "./fill.ts";
import { formatCommand } from "./format.ts";
import { infoCommand } from "./info.ts";
import { mergeCommand } from "./merge.ts";
import { readCommand } from "./read.ts";
import { recalculateCommand } from "./recalculate.ts";
import { setCommand } from "./set.ts";
import { splitCommand } from "./split.ts";

export const program: Program = {
  name: "scripts/xlsx.mjs",
  summary: "Read, create, edit, fill, convert, merge and split Excel workbooks",
  commands: [
    infoCommand,
    readCommand,
    createCommand,
    setCommand,
    editCommand,
    formatCommand,
    fillCommand,
    convertCommand,
    mergeCommand,
    splitCommand,
    recalculateCommand,
    makePdfCommand("workbook", ".xlsx"),
  ],
};
