import {
  PDFArray,
  PDFDict,
  type PDFDocument,
  PDFHexString,
  PDFName,
  PDFObjectCopier,
  PDFPage,
  PDFPageLeaf,
  PDFRef,
  PDFString,
} from "@cantoo/pdf-lib";
import { formOf } from "./form-field.ts";

export type RenamedField = { readonly from: string; readonly to: string };

/**
 * Adds all pages of another document with its form. Pages are copied by their references, so that links and fields,
 * which name pages by them, lead to the copies. Fields whose names are taken are renamed.
 */
export function appendDocument(target: PDFDocument, source: PDFDocument): readonly RenamedField[] {
  const copier = PDFObjectCopier.for(source.context, target.context);
  for (const page of source.getPages()) {
    const ref = copier.copy(page.ref);
    const leaf = target.context.lookup(ref);
    if (leaf instanceof PDFPageLeaf) target.addPage(PDFPage.of(leaf, ref, target));
  }
  const form = formOf(source);
  return form === undefined ? [] : appendForm(target, form, copier);
}

function appendForm(target: PDFDocument, form: PDFDict, copier: PDFObjectCopier): readonly RenamedField[] {
  const fields = form.lookup(PDFName.of("Fields"));
  if (!(fields instanceof PDFArray) || fields.size() === 0) return [];
  const own = formOf(target) ?? makeForm(target);
  const list = own.lookup(PDFName.of("Fields"), PDFArray);
  const taken = new Set(list.asArray().map((ref) => nameOf(target.context.lookup(ref))));
  addResources(own, form, copier);
  return fields.asArray().flatMap((field) => {
    if (!(field instanceof PDFRef)) return [];
    const ref = copier.copy(field);
    const copy = target.context.lookup(ref);
    if (!(copy instanceof PDFDict)) return [];
    list.push(ref);
    return rename(copy, taken);
  });
}

function makeForm(target: PDFDocument): PDFDict {
  const form = target.context.obj({ Fields: [] });
  target.catalog.set(PDFName.of("AcroForm"), target.context.register(form));
  return form;
}

/** Fields name their fonts by keys of the form; a key that both forms have means the same in practice. */
function addResources(own: PDFDict, form: PDFDict, copier: PDFObjectCopier): void {
  for (const key of [PDFName.of("DR"), PDFName.of("DA")]) {
    const value = form.get(key);
    if (value !== undefined && !own.has(key)) own.set(key, copier.copy(value));
  }
  const ownFonts = fontsOf(own);
  for (const [key, font] of fontsOf(form)?.entries() ?? []) {
    if (ownFonts !== undefined && !ownFonts.has(key)) ownFonts.set(key, copier.copy(font));
  }
}

function fontsOf(form: PDFDict): PDFDict | undefined {
  const resources = form.lookup(PDFName.of("DR"));
  const fonts = resources instanceof PDFDict ? resources.lookup(PDFName.of("Font")) : undefined;
  return fonts instanceof PDFDict ? fonts : undefined;
}

function nameOf(field: unknown): string {
  const name = field instanceof PDFDict ? field.lookup(PDFName.of("T")) : undefined;
  return name instanceof PDFString || name instanceof PDFHexString ? name.decodeText() : "";
}

function rename(field: PDFDict, taken: Set<string>): readonly RenamedField[] {
  const from = nameOf(field);
  let to = from;
  for (let count = 2; taken.has(to); count += 1) to = `${from}_${count}`;
  taken.add(to);
  if (to === from) return [];
  field.set(PDFName.of("T"), PDFHexString.fromText(to));
  return [{ from, to }];
}
