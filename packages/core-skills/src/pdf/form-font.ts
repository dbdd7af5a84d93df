import { PDFDict, type PDFDocument, type PDFFont, PDFName, StandardFonts } from "@cantoo/pdf-lib";
import { formOf } from "./form-field.ts";

/**
 * Makes the fonts that filled fields name known to the form. The library draws with them, and leaves it at that: a
 * viewer that draws a field anew would not find them.
 */
export function addFormFonts(document: PDFDocument, font: PDFFont): void {
  const form = formOf(document);
  if (form === undefined) return;
  const fonts = innerDict(innerDict(form, "DR"), "Font");
  const marks = PDFName.of("ZaDb");
  if (!fonts.has(PDFName.of(font.name))) fonts.set(PDFName.of(font.name), font.ref);
  if (!fonts.has(marks)) fonts.set(marks, document.embedStandardFont(StandardFonts.ZapfDingbats).ref);
}

function innerDict(dict: PDFDict, key: string): PDFDict {
  const found = dict.lookup(PDFName.of(key));
  if (found instanceof PDFDict) return found;
  const made = dict.context.obj({});
  dict.set(PDFName.of(key), made);
  return made;
}
