import { extname } from "node:path";
import { type Command, defineCommand } from "./command.ts";
import { readInput } from "./input-file.ts";
import { convertWithLibreOffice } from "./libre-office.ts";
import { OfficePackage } from "./office-package.ts";
import { chooseOutput, outputOptions, writeOutput } from "./output-file.ts";
import { usageError } from "./script-error.ts";

/** A command that saves a document as PDF with LibreOffice, to look at its pages. */
export function makePdfCommand(noun: string, extension: string): Command {
  return defineCommand({
    name: "pdf",
    summary: `Save the ${noun} as PDF with LibreOffice, to look at its pages`,
    operands: { label: `<file${extension}>`, min: 1, max: 1 },
    options: outputOptions,
    details: `
Needs LibreOffice on this machine; without it the command fails with LIBREOFFICE_MISSING. The layout may differ a little
from Microsoft Office. Draw the pages as images with the render command of the pdf skill.

Example: pdf file${extension} --out file.pdf`,
    run: async ({ operands: [path = ""], options }, io) => {
      const file = await readInput(path, io);
      const output = await chooseOutput(options, [file], io);
      if (extname(output.path).toLowerCase() !== ".pdf") throw usageError("--out must end in .pdf.");
      // Damaged and foreign files are refused here, with a reason.
      new OfficePackage(file);
      const kind = extname(path).toLowerCase() || extension;
      const bytes = await convertWithLibreOffice(file, kind, "pdf");
      return { written: await writeOutput(output, bytes) };
    },
  });
}
