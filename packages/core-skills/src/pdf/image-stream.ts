import { inflateSync } from "node:zlib";
import { PDFArray, PDFDict, PDFName, PDFNumber, type PDFObject, type PDFRawStream } from "@cantoo/pdf-lib";
import { undoPredictor } from "./predictor.ts";

/** The bytes of an image behind the filters that are undone here, and the filter that is left. */
export interface ImageStream {
  readonly bytes: Uint8Array;
  /** The format that the bytes are in; undefined for plain samples. */
  readonly format: string | undefined;
}

export const MAX_IMAGE_BYTES = 256 * 1024 * 1024;

/** Undoes compression of the Flate kind within the bound; formats of images are left as they are. */
export function readImageStream(stream: PDFRawStream): ImageStream | undefined {
  const filters = listOf(stream.dict.lookup(PDFName.of("Filter")), stream.dict);
  const parameters = listOf(stream.dict.lookup(PDFName.of("DecodeParms")), stream.dict);
  let bytes: Uint8Array = stream.getContents();
  for (const [at, filter] of filters.entries()) {
    const name = filter instanceof PDFName ? filter.decodeText() : "";
    if (name !== "FlateDecode" && name !== "Fl") {
      return at === filters.length - 1 ? { bytes, format: name } : undefined;
    }
    bytes = inflateSync(bytes, { maxOutputLength: MAX_IMAGE_BYTES });
    bytes = undoPredictor(bytes, readPredictor(parameters[at]));
  }
  return { bytes, format: undefined };
}

/** One value stands for a list of one. */
function listOf(value: PDFObject | undefined, dict: PDFDict): readonly (PDFObject | undefined)[] {
  if (!(value instanceof PDFArray)) return value === undefined ? [] : [value];
  return value.asArray().map((each) => dict.context.lookup(each));
}

function readPredictor(parameters: PDFObject | undefined) {
  const read = (key: string, otherwise: number) =>
    parameters instanceof PDFDict ? readNumber(parameters, key, otherwise) : otherwise;
  return {
    predictor: read("Predictor", 1),
    colors: read("Colors", 1),
    bitDepth: read("BitsPerComponent", 8),
    columns: read("Columns", 1),
  };
}

export function readNumber(dict: PDFDict, key: string, otherwise: number): number {
  const value = dict.lookup(PDFName.of(key));
  return value instanceof PDFNumber ? value.asNumber() : otherwise;
}
