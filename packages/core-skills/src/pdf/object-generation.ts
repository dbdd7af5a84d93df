import { PDFArray, type PDFContext, PDFDict, type PDFObject, PDFRef, PDFStream } from "@cantoo/pdf-lib";

/**
 * Gives objects of a generation other than 0 a new number. The library writes every object with generation 0 in its
 * table, so that readers would not find the others.
 */
export function flattenGenerations(context: PDFContext): void {
  const renamed = new Map<PDFRef, PDFRef>();
  for (const [ref, object] of context.enumerateIndirectObjects()) {
    if (ref.generationNumber === 0) continue;
    const next = context.nextRef();
    context.assign(next, object);
    context.delete(ref);
    renamed.set(ref, next);
  }
  if (renamed.size === 0) return;
  for (const [, object] of context.enumerateIndirectObjects()) rename(object, renamed);
  const { trailerInfo } = context;
  for (const key of ["Root", "Info", "Encrypt", "ID"] as const) {
    const value = trailerInfo[key];
    const next = value instanceof PDFRef ? renamed.get(value) : undefined;
    if (next !== undefined) trailerInfo[key] = next;
  }
}

function rename(root: PDFObject, renamed: ReadonlyMap<PDFRef, PDFRef>): void {
  const open: PDFObject[] = [root];
  for (let object = open.pop(); object !== undefined; object = open.pop()) {
    if (object instanceof PDFStream) open.push(object.dict);
    else if (object instanceof PDFDict) {
      for (const [key, value] of object.entries()) {
        const next = value instanceof PDFRef ? renamed.get(value) : undefined;
        if (next === undefined) open.push(value);
        else object.set(key, next);
      }
    } else if (object instanceof PDFArray) {
      for (const [index, value] of object.asArray().entries()) {
        const next = value instanceof PDFRef ? renamed.get(value) : undefined;
        if (next === undefined) open.push(value);
        else object.set(index, next);
      }
    }
  }
}
