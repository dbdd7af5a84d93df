import {
  PDFArray,
  PDFBool,
  type PDFDict,
  PDFHexString,
  PDFName,
  PDFNumber,
  type PDFObject,
  PDFRawStream,
  PDFString,
} from "@cantoo/pdf-lib";
import { messageOf } from "../shared/script-error.ts";
import { type ImageStream, MAX_IMAGE_BYTES, readImageStream, readNumber } from "./image-stream.ts";
import { bytesPerRow, channels, encodePng, type Raster } from "./png.ts";

export type ImageFile =
  | { readonly extension: "jpg" | "jp2" | "png"; readonly bytes: Uint8Array }
  | { readonly problem: string };

/** An image of a document as a file: photographs byte by byte as they are, everything else as PNG. */
export function toImageFile(stream: PDFRawStream): ImageFile {
  try {
    const data = readImageStream(stream);
    if (data?.format === "DCTDecode" || data?.format === "DCT")
      return { extension: "jpg", bytes: data.bytes };
    if (data?.format === "JPXDecode") return { extension: "jp2", bytes: data.bytes };
    if (data === undefined || data.format !== undefined)
      return { problem: `its format is ${data?.format ?? "mixed"}` };
    const raster = toRaster(stream.dict, data);
    return "problem" in raster
      ? raster
      : { extension: "png", bytes: encodePng(withMask(raster, stream.dict)) };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

function toRaster(dict: PDFDict, { bytes }: ImageStream): Raster | { readonly problem: string } {
  const width = readNumber(dict, "Width", 0);
  const height = readNumber(dict, "Height", 0);
  const isMask = dict.lookup(PDFName.of("ImageMask")) === PDFBool.True;
  const bitDepth = isMask ? 1 : readNumber(dict, "BitsPerComponent", 8);
  const color = isMask ? { count: 1 } : readColorSpace(dict.lookup(PDFName.of("ColorSpace")), dict);
  if (color === undefined) return { problem: "its colors are of a kind that is not read here" };
  const length = bytesPerRow(width, bitDepth, color.count) * height;
  if (!(length > 0 && length <= MAX_IMAGE_BYTES) || ![1, 2, 4, 8, 16].includes(bitDepth)) {
    return { problem: `its size is ${width} × ${height} at ${bitDepth} bits` };
  }
  if (bytes.length < length) return { problem: "it is cut short" };
  const samples = isInverted(dict)
    ? bytes.subarray(0, length).map((byte) => 255 - byte)
    : bytes.subarray(0, length);
  const size = { width, height };
  if (color.palette !== undefined)
    return { ...size, bitDepth, kind: "indexed", samples, palette: color.palette };
  if (color.count === 1) return { ...size, bitDepth, kind: "gray", samples };
  if (color.count === 3 && bitDepth >= 8) return { ...size, bitDepth, kind: "rgb", samples };
  if (color.count === 4 && bitDepth === 8)
    return { ...size, bitDepth, kind: "rgb", samples: fromCmyk(samples) };
  return { problem: `it has ${color.count} colors at ${bitDepth} bits` };
}

interface ColorSpace {
  readonly count: number;
  readonly palette?: Uint8Array;
}

function readColorSpace(value: PDFObject | undefined, dict: PDFDict): ColorSpace | undefined {
  if (value instanceof PDFName) return countOf(value.decodeText());
  if (!(value instanceof PDFArray)) return undefined;
  const kind = value.lookup(0);
  const name = kind instanceof PDFName ? kind.decodeText() : "";
  if (name === "ICCBased") {
    const profile = value.lookup(1);
    return profile instanceof PDFRawStream ? { count: readNumber(profile.dict, "N", 3) } : undefined;
  }
  return name === "Indexed" || name === "I" ? readPalette(value, dict) : countOf(name);
}

function countOf(name: string): ColorSpace | undefined {
  if (/^(?:DeviceGray|CalGray|G)$/.test(name)) return { count: 1 };
  if (/^(?:DeviceRGB|CalRGB|RGB)$/.test(name)) return { count: 3 };
  if (/^(?:DeviceCMYK|CMYK)$/.test(name)) return { count: 4 };
  return undefined;
}

function readPalette(value: PDFArray, dict: PDFDict): ColorSpace | undefined {
  const base = readColorSpace(value.lookup(1), dict);
  const table = value.lookup(3);
  const bytes = table instanceof PDFRawStream ? readImageStream(table)?.bytes : stringBytes(table);
  const high = value.lookup(2);
  if (base === undefined || base.palette !== undefined || bytes === undefined) return undefined;
  const size = Math.min(
    256,
    (high instanceof PDFNumber ? high.asNumber() : 255) + 1,
    bytes.length / base.count,
  );
  const colors = bytes.slice(0, Math.floor(size) * base.count);
  if (base.count === 3) return { count: 1, palette: colors };
  if (base.count === 4) return { count: 1, palette: fromCmyk(colors) };
  return { count: 1, palette: Uint8Array.from([...colors].flatMap((gray) => [gray, gray, gray])) };
}

function stringBytes(value: PDFObject | undefined): Uint8Array | undefined {
  return value instanceof PDFString || value instanceof PDFHexString ? value.asBytes() : undefined;
}

function isInverted(dict: PDFDict): boolean {
  const decode = dict.lookup(PDFName.of("Decode"));
  const first = decode instanceof PDFArray ? decode.lookup(0) : undefined;
  return first instanceof PDFNumber && first.asNumber() === 1;
}

function fromCmyk(samples: Uint8Array): Uint8Array {
  const rgb = new Uint8Array((samples.length / 4) * 3);
  for (let from = 0, to = 0; from + 3 < samples.length; from += 4, to += 3) {
    const light = 255 - (samples[from + 3] ?? 0);
    for (let part = 0; part < 3; part += 1)
      rgb[to + part] = ((255 - (samples[from + part] ?? 0)) * light) / 255;
  }
  return rgb;
}

/** Adds the alpha channel when the file stores it as a mask of the same size. */
function withMask(raster: Raster, dict: PDFDict): Raster {
  const mask = dict.lookup(PDFName.of("SMask"));
  const isFit = raster.bitDepth === 8 && (raster.kind === "rgb" || raster.kind === "gray");
  const data = isFit && mask instanceof PDFRawStream ? readImageStream(mask) : undefined;
  if (!(mask instanceof PDFRawStream) || data === undefined || data.format !== undefined) return raster;
  const alpha = toRaster(mask.dict, data);
  if ("problem" in alpha || alpha.kind !== "gray" || alpha.bitDepth !== 8) return raster;
  if (alpha.width !== raster.width || alpha.height !== raster.height) return raster;
  const count = channels[raster.kind];
  const samples = new Uint8Array(raster.width * raster.height * (count + 1));
  for (let pixel = 0; pixel < raster.width * raster.height; pixel += 1) {
    samples.set(raster.samples.subarray(pixel * count, (pixel + 1) * count), pixel * (count + 1));
    samples[pixel * (count + 1) + count] = alpha.samples[pixel] ?? 255;
  }
  return { ...raster, kind: count === 1 ? "grayAlpha" : "rgba", samples };
}
