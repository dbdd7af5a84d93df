import type { PDFDocument } from "@cantoo/pdf-lib";
import type { JsonObject } from "../shared/command.ts";
import { type Output, type Written, writeOutput } from "../shared/output-file.ts";
import { findSignatures } from "./form-field.ts";
import { guardPdf, type PdfExpectation, type SourcePage } from "./guard.ts";
import type { OpenedPdf } from "./open-pdf.ts";

/** Checks and writes a document. Returns where it went and how many pages it has. */
export async function savePdf(
  document: PDFDocument,
  output: Output,
  expectation: PdfExpectation,
): Promise<{ readonly output: Written; readonly pages: number }> {
  const bytes = await document.save({ addDefaultPage: false });
  await guardPdf(bytes, output.path, expectation);
  return { output: await writeOutput(output, bytes), pages: expectation.pages.length };
}

/** Checks and writes a document that has the pages of one source, in their order. */
export async function saveEdited(
  opened: OpenedPdf,
  output: Output,
  expectation: Omit<PdfExpectation, "pages"> = {},
): Promise<JsonObject> {
  return savePdf(opened.document, output, { isWhole: true, ...expectation, pages: pagesOf(opened) });
}

/** All pages of a source, or those of the given indexes. */
export function pagesOf(
  { file, document, password }: OpenedPdf,
  indexes?: readonly number[],
): readonly SourcePage[] {
  const all = indexes ?? document.getPages().map((_, index) => index);
  return all.map((index) => ({ file, password, index }));
}

/** Warnings about the side effects of a change of this file. */
export function warnOfChange({ document, isEncrypted, file }: OpenedPdf): readonly string[] {
  const signatures = findSignatures(document);
  return [
    ...(signatures > 0
      ? [`${file.path} is signed: its signatures are no longer valid in the new file.`]
      : []),
    ...(isEncrypted ? [`${file.path} is encrypted: the new file is not.`] : []),
  ];
}
