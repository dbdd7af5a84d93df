import type { PDFDocument } from "@cantoo/pdf-lib";
import { type JsonObject } from "../shared/command.ts";
import { type Output, writeOutput } from "../shared/output-file.ts";
import { findSignatures } from "./form-field.ts";
import { type OpenedPdf } from "./open-pdf.ts";

/** Writes a document, and answers with where it went and what it holds. */
export async function savePdf(document: PDFDocument, output: Output): Promise<JsonObject> {
  const bytes = await document.save({ addDefaultPage: false });
  return { output: await writeOutput(output, bytes), pages: document.getPageCount() };
}

/** What a person should hear about a change of this file. */
export function warnOfChange({ document, isEncrypted, file }: OpenedPdf): readonly string[] {
  const signatures = findSignatures(document);
  return [
    ...(signatures > 0
      ? [`${file.path} is signed: its signatures are no longer valid in the new file.`]
      : []),
    ...(isEncrypted ? [`${file.path} is encrypted: the new file is not.`] : []),
  ];
}
