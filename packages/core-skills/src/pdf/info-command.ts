import { PDFDict, type PDFDocument, PDFName } from "@cantoo/pdf-lib";
import { boundList, clip } from "../shared/bounded.ts";
import { defineCommand, type JsonObject } from "../shared/command.ts";
import { formatRanges } from "../shared/range.ts";
import { ScriptError } from "../shared/script-error.ts";
import type { ScriptIo } from "../shared/script-io.ts";
import { findSignatures, hasXfa, listFields } from "./form-field.ts";
import {
  type OpenedPdf,
  openToRead,
  type PasswordRequest,
  passwordOptions,
  readPassword,
  readPdfFile,
} from "./open-pdf.ts";
import { openTextLayer } from "./text-layer.ts";

export const infoCommand = defineCommand({
  name: "info",
  summary: "Show pages, sizes, metadata, form, encryption and signatures of a file",
  operands: { label: "<file>", min: 1, max: 1 },
  options: passwordOptions,
  details: `
Sizes are in points (72 to the inch) as the page is shown, so after its rotation.
"encrypted" means that changes need a password, "form.fields" that fill works, and "signatures" that any change breaks
them. "editable": false marks a damaged file that can be read but not changed.`,
  run: async ({ operands: [path = ""], options }, io) => {
    try {
      return describe(path, await openToRead(path, options, io));
    } catch (error) {
      return describeUneditable(path, options, io, error);
    }
  },
});

function describe(path: string, { file, document, isEncrypted }: OpenedPdf): JsonObject {
  const xfa = hasXfa(document);
  return {
    file: path,
    bytes: file.bytes.length,
    version: document.context.header.getVersionString(),
    pages: document.getPageCount(),
    sizes: groupSizes(document),
    encrypted: isEncrypted,
    metadata: describeMetadata(document),
    form: { fields: countFields(document), xfa },
    signatures: findSignatures(document),
    attachments: hasAttachments(document),
    outline: document.catalog.has(PDFName.of("Outlines")),
    tagged: document.catalog.has(PDFName.of("StructTreeRoot")),
  };
}

/** Describes a file that can be read but not changed, by the library that reads text. Otherwise throws the error again. */
async function describeUneditable(
  path: string,
  options: PasswordRequest,
  io: ScriptIo,
  error: unknown,
): Promise<JsonObject> {
  if (error instanceof ScriptError && error.code !== "BROKEN_FILE") throw error;
  const file = await readPdfFile(path, io);
  const layer = await openTextLayer(file, (await readPassword(options, io)) ?? "").catch(() => {
    throw error;
  });
  try {
    if (layer.pageCount === 0) throw error;
    const { width, height, rotation } = await layer.pageSize(0).catch(() => {
      throw error;
    });
    const facts = await layer.facts();
    return {
      file: path,
      bytes: file.bytes.length,
      version: facts.version,
      pages: layer.pageCount,
      sizes: {
        firstPage: `${round(width)} × ${round(height)}${rotation === 0 ? "" : `, rotated ${rotation}`}`,
      },
      encrypted: facts.isEncrypted,
      metadata: { title: facts.title, author: facts.author },
      form: { fields: facts.fields },
      editable: false,
      problem: `${messageFor(error, path)} Only text, tables and render work on this file.`,
    };
  } finally {
    await layer.close();
  }
}

function messageFor(error: unknown, path: string): string {
  return error instanceof ScriptError ? error.message : `${path} is damaged: its structure cannot be read.`;
}

/** Some forms cannot be listed, and still the file can be read. */
function countFields(document: PDFDocument): number | null {
  try {
    return listFields(document).length;
  } catch {
    return null;
  }
}

/** Most documents have one size. The others are listed by their pages. */
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
      // A value of the wrong type is treated as missing.
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
