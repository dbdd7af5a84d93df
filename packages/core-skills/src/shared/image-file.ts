import { readInput } from "./input-file.ts";
import { inputError, usageError } from "./script-error.ts";
import type { ScriptIo } from "./script-io.ts";

/** A picture of a kind that every office program shows. */
export interface ImageFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly format: ImageFormat;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
}

export type ImageFormat = "png" | "jpeg" | "gif";

const MAX_BYTES = 20 * 1024 * 1024;

/** Reads a PNG, JPEG or GIF from a file. Addresses are refused: scripts use no network. */
export async function readImage(path: string, io: ScriptIo): Promise<ImageFile> {
  if (/^[a-z][a-z0-9+.-]+:/i.test(path)) {
    throw usageError(
      `${path.slice(0, 80)} is an address, not a file.`,
      "Download the image first; scripts use no network.",
    );
  }
  const { bytes } = await readInput(path, io, { maxBytes: MAX_BYTES });
  const found = measure(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  if (found === undefined || found.width < 1 || found.height < 1) {
    throw inputError(
      "UNSUPPORTED_IMAGE",
      `${path} is not a PNG, JPEG or GIF image.`,
      "Convert it to PNG first.",
    );
  }
  return { path, bytes, ...found };
}

type Measured = Pick<ImageFile, "format" | "width" | "height">;

function measure(view: DataView): Measured | undefined {
  if (view.byteLength < 24) return undefined;
  if (view.getUint32(0) === 0x89504e47) {
    return { format: "png", width: view.getUint32(16), height: view.getUint32(20) };
  }
  if (view.getUint32(0) === 0x47494638) {
    return { format: "gif", width: view.getUint16(6, true), height: view.getUint16(8, true) };
  }
  return view.getUint16(0) === 0xffd8 ? measureJpeg(view) : undefined;
}

/** The size of a JPEG stands in its frame header, after segments of any length. */
function measureJpeg(view: DataView): Measured | undefined {
  let at = 2;
  while (at + 9 < view.byteLength) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { format: "jpeg", height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    const length = view.getUint16(at + 2);
    if (length < 2) return undefined;
    at += 2 + length;
  }
  return undefined;
}
