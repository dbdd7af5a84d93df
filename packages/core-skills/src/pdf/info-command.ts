import { PDFDict, type PDFDocument, PDFName } from "@cantoo/pdf-lib";
import { boundList, clip } from "../shared/bounded.ts";
import { defineCommand, type JsonObject } from "../shared/command.ts";
import { formatRanges } from "../shared/range.ts";
import { findSignatures, hasXfa, listFields } from "./form-field.ts";
import { openToRead, passwordOptions } from "./open-pdf.ts";

export const infoCommand = defineCommand({
  name: "info",
  summary: "Tell pages, sizes, metadata, form, encryption and signatures of a file",
  operands: { label: "<file>", min: 1, max: 1 },
  options: passwordOptions,
  details: `
Sizes are in points (72 to the inch) as the page is shown, so after its rotation.
Look here first: "encrypted" says that changes need a password, "form.fields" that fill works, "signatures"
that any change breaks them.`,
  run: async ({ operands: [path = ""], options }, io) => {
    const { file, document, isEncrypted } = await openToRead(path, options, io);
    return {
      file: path,
      bytes: file.bytes.length,
      version: document.context.header.getVersionString(),
      pages: document.getPageCount(),
      sizes: groupSizes(document),
      encrypted: isEncrypted,
      metadata: describeMetadata(document),
      form: { fields: listFields(document).length, xfa: hasXfa(document) },
      signatures: findSignatures(document),
      attachments: hasAttachments(document),
      outline: document.catalog.has(PDFName.of("Outlines")),
      tagged: document.catalog.has(PDFName.of("StructTreeRoot")),
    };
  },
});

/** Most documents have one size; the others are told by their pages. */
function groupSizes(document: PDFDocument): JsonObject {
  const groups = new Map<string, number[]>();
  document.getPages().forEach((page, index) => {
    const { width, height } = page.getSize();
    const angle = (((page.getRotation().angle % 360) + 360) % 360) as number;
    const [across, down] = angle % 180 === 0 ? [width, height] : [height, width];
    const key = `${round(across)} × ${round(down)}${angle === 0 ? "" : `, rotated ${angle}`}`;
    groups.set(key, [...(groups.get(key) ?? []), index]);
  });
  const { items, total, truncated } = boundList([...groups], GROUP_COUNT);
  return {
    groups: items.map(([size, indexes]) => ({ size, pages: clip(formatRanges(indexes), 200) })),
    ...(truncated ? { total, truncated } : {}),
  };
}

const GROUP_COUNT = 20;
const VALUE_LENGTH = 500;

function round(points: number): number {
  return Math.round(points * 100) / 100;
}

function describeMetadata(document: PDFDocument): JsonObject {
  const read = (get: () => string | Date | undefined): string | undefined => {
    try {
      const value = get();
      return typeof value === "string" ? clip(value, VALUE_LENGTH) : value?.toISOString();
    } catch {
      // A value that is no text or no date: it is as good as none.
      return undefined;
    }
  };
  return {
    title: read(() => document.getTitle()),
    author: read(() => document.getAuthor()),
    subject: read(() => document.getSubject()),
    keywords: read(() => document.getKeywords()),
    creator: read(() => document.getCreator()),
    producer: read(() => document.getProducer()),
    language: read(() => document.getLanguage()),
    created: read(() => document.getCreationDate()),
    modified: read(() => document.getModificationDate()),
  };
}

function hasAttachments(document: PDFDocument): boolean {
  const names = document.catalog.lookup(PDFName.of("Names"));
  return names instanceof PDFDict && names.has(PDFName.of("EmbeddedFiles"));
}
