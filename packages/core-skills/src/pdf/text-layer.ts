import type { InputFile } from "../shared/input-file.ts";
import { messageOf } from "../shared/script-error.ts";
import { type Annotation, annotationRuns, countFormValues } from "./annotation-text.ts";
import { CharacterMaps } from "./character-map.ts";
import { brokenPdf, encryptedPdf, wrongPassword } from "./open-pdf.ts";
import type { TextRun } from "./text-line.ts";

export interface PageText {
  /** The content of the page, in the order of the file. */
  readonly runs: readonly TextRun[];
  /** The values of form fields and the text of annotations, where they are shown. */
  readonly extra: readonly TextRun[];
  readonly formValues: number;
  /** How many annotations of each kind the page has: `Link`, `Widget`, `FreeText`. */
  readonly annotations: Readonly<Record<string, number>>;
}

export interface DocumentFacts {
  readonly version: string | undefined;
  readonly title: string | undefined;
  readonly author: string | undefined;
  readonly isEncrypted: boolean;
  readonly hasOutline: boolean;
  readonly attachments: number;
  readonly fields: number;
}

export interface TextLayer {
  readonly pageCount: number;
  /** The content of a page, counted from 0. Fails with BROKEN_FILE when the page cannot be read. */
  readPage(index: number): Promise<PageText>;
  /** The width and height of a page as it is shown, in points. */
  pageSize(
    index: number,
  ): Promise<{ readonly width: number; readonly height: number; readonly rotation: number }>;
  facts(): Promise<DocumentFacts>;
  close(): Promise<void>;
}

/** Opens the text of a document without drawing it, running its scripts or fetching fonts. */
export async function openTextLayer(file: InputFile, password: string): Promise<TextLayer> {
  const pdfjs = await import("unpdf/pdfjs");
  const task = pdfjs.getDocument({
    // The library detaches the buffer that it is given.
    data: file.bytes.slice(),
    password,
    isEvalSupported: false,
    useSystemFonts: false,
    disableFontFace: true,
    useWorkerFetch: false,
    cMapUrl: "cmaps/",
    cMapPacked: true,
    BinaryDataFactory: CharacterMaps,
    verbosity: 0,
  });
  const document = await task.promise.catch((error: unknown) => {
    throw explain(error, file, password);
  });
  return {
    pageCount: document.numPages,
    readPage: async (index) => {
      try {
        const page = await document.getPage(index + 1);
        const { items } = await page.getTextContent();
        const annotations: readonly Annotation[] = await page.getAnnotations().catch(() => []);
        page.cleanup();
        return {
          runs: items.flatMap(toRun),
          extra: annotations.flatMap(annotationRuns),
          formValues: countFormValues(annotations),
          annotations: countKinds(annotations),
        };
      } catch (error) {
        throw brokenPdf(file, `page ${index + 1} cannot be read (${messageOf(error)})`, error);
      }
    },
    pageSize: async (index) => {
      const page = await document.getPage(index + 1);
      const { width, height, rotation } = page.getViewport({ scale: 1 });
      return { width, height, rotation };
    },
    facts: async () => {
      const metadata = await document.getMetadata().catch(() => undefined);
      const info: Readonly<Record<string, unknown>> = { ...metadata?.info };
      const text = (name: string) => (typeof info[name] === "string" ? info[name] : undefined);
      const [outline, attachments, fields] = await Promise.all([
        document.getOutline().catch(() => null),
        document.getAttachments().catch(() => null),
        document.getFieldObjects().catch(() => null),
      ]);
      return {
        version: text("PDFFormatVersion"),
        title: text("Title"),
        author: text("Author"),
        isEncrypted: typeof info["EncryptFilterName"] === "string",
        hasOutline: (outline?.length ?? 0) > 0,
        attachments: attachments === null ? 0 : Object.keys(attachments).length,
        fields: fields === null ? 0 : Object.keys(fields).length,
      };
    },
    close: () => task.destroy(),
  };
}

/** The content of a page with the values of fields and the text of annotations. */
export function allRuns({ runs, extra }: PageText): readonly TextRun[] {
  return [...runs, ...extra];
}

function countKinds(annotations: readonly Annotation[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { subtype = "unknown" } of annotations) counts[subtype] = (counts[subtype] ?? 0) + 1;
  return counts;
}

function toRun(item: object): readonly TextRun[] {
  if (!("str" in item && "transform" in item && "width" in item)) return [];
  const { str, transform, width } = item;
  if (typeof str !== "string" || str === "" || !Array.isArray(transform) || typeof width !== "number")
    return [];
  const [, , c = 0, d = 0, x = 0, y = 0] = transform.map(Number);
  return [{ text: str, x, y, width, size: Math.hypot(c, d) || 1 }];
}

function explain(error: unknown, file: InputFile, password: string): Error {
  if (error instanceof Error && error.name === "PasswordException") {
    return password === "" ? encryptedPdf(file) : wrongPassword(file);
  }
  return brokenPdf(file, messageOf(error), error);
}
