import { PDFArray, type PDFContext, PDFDict, type PDFObject, PDFRef, PDFStream } from "@cantoo/pdf-lib";

/** Deletes the objects that cannot be reached from the trailer. */
export function sweep(context: PDFContext): void {
  const { Root, Info, Encrypt } = context.trailerInfo;
  const reached = new Set<PDFRef>();
  const open: (PDFObject | undefined)[] = [Root, Info, Encrypt];
  while (open.length > 0) {
    const object = open.pop();
    if (object instanceof PDFRef) {
      if (reached.has(object)) continue;
      reached.add(object);
      open.push(context.lookup(object));
    } else if (object instanceof PDFDict) open.push(...object.values());
    else if (object instanceof PDFStream) open.push(object.dict);
    else if (object instanceof PDFArray) for (const each of object.asArray()) open.push(each);
  }
  for (const [ref] of context.enumerateIndirectObjects()) if (!reached.has(ref)) context.delete(ref);
  // The table of objects says how many there are.
  const numbers = context.enumerateIndirectObjects().map(([ref]) => ref.objectNumber);
  context.largestObjectNumber = numbers.reduce((most, number) => Math.max(most, number), 0);
}
