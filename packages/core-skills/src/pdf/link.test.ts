import { PDFArray, PDFDict, PDFDocument, PDFName, PDFRef, PDFString } from "@cantoo/pdf-lib";
import { expect, test } from "vitest";
import { appendDocument } from "./append-document.ts";
import { keepPages } from "./keep-pages.ts";

/** Three pages; the first has a link to the third, and a part of the structure tree speaks of the third. */
async function makeLinked(): Promise<PDFDocument> {
  const document = await PDFDocument.create({ updateMetadata: false });
  const pages = [1, 2, 3].map((number) => {
    const page = document.addPage([100 + number, 100]);
    page.drawText(`words of page ${number}`, { size: 5 });
    return page;
  });
  const { context, catalog } = document;
  const link = { Type: "Annot", Subtype: "Link", Rect: [0, 0, 9, 9], Dest: [pages[2]?.ref ?? null, "Fit"] };
  pages[0]?.node.addAnnot(context.register(context.obj(link)));
  const element = context.register(
    context.obj({ Type: "StructElem", Pg: pages[2]?.ref ?? null, Alt: "AltOfThree" }),
  );
  catalog.set(
    PDFName.of("StructTreeRoot"),
    context.register(context.obj({ Type: "StructTreeRoot", K: [element] })),
  );
  const outline = context.nextRef();
  const refs = [context.nextRef(), context.nextRef(), context.nextRef()] as const;
  const mark = (at: number) => ({ Title: PDFString.of(`Mark${at}`), Parent: outline });
  const first = { ...mark(0), Dest: [pages[0]?.ref ?? null, "Fit"], Next: refs[1] };
  const second = { ...mark(1), A: { S: "GoTo", D: PDFString.of("third") }, Prev: refs[0], Count: 1 };
  const inner = { ...mark(2), Dest: [pages[1]?.ref ?? null, "Fit"], Parent: refs[1] };
  context.assign(refs[0], context.obj(first));
  context.assign(refs[1], context.obj({ ...second, First: refs[2], Last: refs[2] }));
  context.assign(refs[2], context.obj(inner));
  context.assign(outline, context.obj({ Type: "Outlines", First: refs[0], Last: refs[1], Count: 3 }));
  catalog.set(PDFName.of("Outlines"), outline);
  const named = { Names: [PDFString.of("third"), [pages[2]?.ref ?? null, "Fit"]] };
  catalog.set(PDFName.of("Names"), context.obj({ Dests: named }));
  return PDFDocument.load(await document.save({ useObjectStreams: false }), { updateMetadata: false });
}

function destinationOf(document: PDFDocument, index: number): PDFRef | undefined {
  const link = document.getPage(index).node.Annots()?.lookup(0, PDFDict);
  const page = link?.lookup(PDFName.of("Dest"), PDFArray).get(0);
  return page instanceof PDFRef ? page : undefined;
}

test("a link inside an appended file leads to its page in the new one, which appears once [S-40]", async () => {
  const target = await makeLinked();
  appendDocument(target, await makeLinked());
  const read = await PDFDocument.load(await target.save(), { updateMetadata: false });
  expect(read.getPageCount()).toBe(6);
  expect(destinationOf(read, 0)).toBe(read.getPage(2).ref);
  expect(destinationOf(read, 3)).toBe(read.getPage(5).ref);
  const pages = read.context.enumerateIndirectObjects().filter(([, object]) => isPage(object));
  expect(pages).toHaveLength(6);
});

test("an omitted page is gone, even if links and structure refer to it [S-40]", async () => {
  const document = await makeLinked();
  keepPages(document, [0, 1]);
  const bytes = await document.save({ useObjectStreams: false, addDefaultPage: false });
  const read = await PDFDocument.load(bytes, { updateMetadata: false });
  expect(read.getPages().map((page) => page.getWidth())).toEqual([101, 102]);
  const objects = read.context.enumerateIndirectObjects();
  expect(objects.filter(([, object]) => isPage(object))).toHaveLength(2);
  expect(Buffer.from(bytes).includes("AltOfThree")).toBe(false);
  const target = destinationOf(read, 0);
  expect(target === undefined ? undefined : read.context.lookup(target)).toBeUndefined();
});

test("removes bookmarks to omitted pages and moves their children up [S-40]", async () => {
  const titles = (document: PDFDocument) => {
    const outline = document.catalog.lookup(PDFName.of("Outlines"), PDFDict);
    const found: string[] = [];
    for (
      let item = outline.lookup(PDFName.of("First"));
      item instanceof PDFDict;
      item = item.lookup(PDFName.of("Next"))
    ) {
      found.push(item.lookup(PDFName.of("Title"), PDFString).decodeText());
    }
    return found;
  };
  const document = await makeLinked();
  expect(titles(document)).toEqual(["Mark0", "Mark1"]);
  keepPages(document, [0, 1]);
  const bytes = await document.save({ useObjectStreams: false, addDefaultPage: false });
  expect(titles(await PDFDocument.load(bytes))).toEqual(["Mark0", "Mark2"]);
  expect(Buffer.from(bytes).includes("Mark1")).toBe(false);
  const bare = await makeLinked();
  keepPages(bare, [2]);
  expect(titles(bare)).toEqual(["Mark1"]);
});

test("pages keep attributes inherited from the page tree [S-40]", async () => {
  const document = await makeLinked();
  const root = document.catalog.lookup(PDFName.of("Pages"), PDFDict);
  for (const page of document.getPages()) page.node.delete(PDFName.of("MediaBox"));
  root.set(PDFName.of("MediaBox"), document.context.obj([0, 0, 321, 123]));
  keepPages(document, [2, 0]);
  root.delete(PDFName.of("MediaBox"));
  const read = await PDFDocument.load(await document.save({ addDefaultPage: false }));
  expect(read.getPages().map((page) => page.getWidth())).toEqual([321, 321]);
});

function isPage(object: unknown): boolean {
  return object instanceof PDFDict && object.get(PDFName.of("Type")) === PDFName.of("Page");
}
