import { type InputFile } from "../shared/input-file.ts";
import { messageOf } from "../shared/script-error.ts";
import { brokenPdf, encryptedPdf, wrongPassword } from "./open-pdf.ts";

/** A run of text and the box around it, in points from the lower left corner of the page. */
export interface TextRun {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  /** The size of the font. */
  readonly size: number;
}

export interface TextLayer {
  readonly pageCount: number;
  /** The runs of a page, counted from 0, in the order of the file. */
  readPage(index: number): Promise<readonly TextRun[]>;
  close(): Promise<void>;
}

/** Opens the text of a document. Nothing is drawn, no script in it runs, and no font is fetched. */
export async function openTextLayer(file: InputFile, password: string): Promise<TextLayer> {
  const pdfjs = await import("unpdf/pdfjs");
  const task = pdfjs.getDocument({
    // The library takes the buffer away from whoever has it.
    data: file.bytes.slice(),
    password,
    isEvalSupported: false,
    useSystemFonts: false,
    disableFontFace: true,
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
        page.cleanup();
        return items.flatMap(toRun);
      } catch (error) {
        throw brokenPdf(file, `page ${index + 1} cannot be read (${messageOf(error)})`, error);
      }
    },
    close: () => task.destroy(),
  };
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
