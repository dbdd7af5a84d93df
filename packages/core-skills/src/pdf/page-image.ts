import type { InputFile } from "../shared/input-file.ts";
import { inputError, messageOf } from "../shared/script-error.ts";
import { readAsset } from "./asset.ts";
import { brokenPdf, encryptedPdf, wrongPassword } from "./open-pdf.ts";
import { encodePng } from "./png.ts";

export interface PageImage {
  readonly width: number;
  readonly height: number;
  readonly png: Uint8Array;
}

export interface PageImages {
  readonly pageCount: number;
  /** Draws a page, counted from 0. The scale is pixels per point. */
  draw(index: number, scale: number): Promise<PageImage>;
  close(): void;
}

const MAX_PIXELS = 40_000_000;

/** Opens a document to draw its pages with PDFium, which runs as WebAssembly in this process. */
export async function openPageImages(file: InputFile, password: string): Promise<PageImages> {
  const { PDFiumLibrary } = await import("@hyzyla/pdfium");
  const library = await PDFiumLibrary.init({ wasmBinary: toBuffer(readAsset("pdfium.wasm")) });
  const document = await library.loadDocument(file.bytes, password).catch((error: unknown) => {
    library.destroy();
    throw explain(error, file, password);
  });
  initializeForm(document);
  return {
    pageCount: document.getPageCount(),
    draw: async (index, scale) => {
      const page = openPage(document, index, file);
      const { originalWidth, originalHeight } = page.getOriginalSize();
      const pixels = originalWidth * originalHeight * scale * scale;
      if (!(pixels > 0)) throw brokenPdf(file, `page ${index + 1} has no size`);
      const fit = Math.min(scale, scale * Math.sqrt(MAX_PIXELS / pixels));
      const { width, height, data } = await page
        .render({ scale: fit, renderFormFields: true, render: "bitmap" })
        .catch((error: unknown) => {
          throw brokenPdf(file, `page ${index + 1} cannot be drawn`, error);
        });
      return {
        width,
        height,
        png: encodePng({ width, height, bitDepth: 8, kind: "rgb", samples: toRgb(data) }),
      };
    },
    close: () => {
      document.destroy();
      library.destroy();
    },
  };
}

/** Files without a form have no environment for fields. */
function initializeForm(document: { initializeFormFields(): number }): void {
  try {
    document.initializeFormFields();
  } catch {
    // The page is drawn without field values.
  }
}

function openPage<Page>(document: { getPage(index: number): Page }, index: number, file: InputFile): Page {
  try {
    return document.getPage(index);
  } catch (error) {
    throw brokenPdf(file, `page ${index + 1} cannot be opened`, error);
  }
}

function toBuffer(bytes: Uint8Array): ArrayBuffer {
  const buffer = new ArrayBuffer(bytes.length);
  new Uint8Array(buffer).set(bytes);
  return buffer;
}

/** The library gives four bytes for each pixel, on a white page. */
function toRgb(data: Uint8Array): Uint8Array {
  const samples = new Uint8Array((data.length / 4) * 3);
  for (let from = 0, to = 0; from < data.length; from += 4, to += 3) {
    samples[to] = data[from] ?? 0;
    samples[to + 1] = data[from + 1] ?? 0;
    samples[to + 2] = data[from + 2] ?? 0;
  }
  return samples;
}

function explain(error: unknown, file: InputFile, password: string): Error {
  const message = messageOf(error);
  if (/password/i.test(message)) return password === "" ? encryptedPdf(file) : wrongPassword(file);
  if (/security/i.test(message)) {
    return inputError("ENCRYPTED", `${file.path} has a kind of encryption that this script cannot read.`);
  }
  return brokenPdf(file, "its structure cannot be read", error);
}
