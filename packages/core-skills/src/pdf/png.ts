import { crc32, deflateSync } from "node:zlib";

/** Samples of an image, row by row, each row from a new byte. */
export interface Raster {
  readonly width: number;
  readonly height: number;
  readonly bitDepth: number;
  readonly kind: "gray" | "rgb" | "indexed" | "grayAlpha" | "rgba";
  readonly samples: Uint8Array;
  /** Three bytes a color, for indexed images. */
  readonly palette?: Uint8Array | undefined;
}

const colorTypes = { gray: 0, rgb: 2, indexed: 3, grayAlpha: 4, rgba: 6 } as const;
export const channels = { gray: 1, rgb: 3, indexed: 1, grayAlpha: 2, rgba: 4 } as const;

export function encodePng(raster: Raster): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(raster.width, 0);
  header.writeUInt32BE(raster.height, 4);
  header[8] = raster.bitDepth;
  header[9] = colorTypes[raster.kind];
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    ...(raster.palette === undefined ? [] : [chunk("PLTE", raster.palette)]),
    chunk("IDAT", deflateSync(withFilterBytes(raster))),
    chunk("IEND", new Uint8Array()),
  ]);
}

export function bytesPerRow(width: number, bitDepth: number, channelCount: number): number {
  return Math.ceil((width * bitDepth * channelCount) / 8);
}

/** Every row begins with its filter number; 0 means unfiltered. */
function withFilterBytes({ width, height, bitDepth, kind, samples }: Raster): Uint8Array {
  const length = bytesPerRow(width, bitDepth, channels[kind]);
  const rows = Buffer.alloc(height * (length + 1));
  for (let row = 0; row < height; row += 1) {
    rows.set(samples.subarray(row * length, (row + 1) * length), row * (length + 1) + 1);
  }
  return rows;
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  framed.set(body, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}
