import { dirname, join } from "node:path";
import type { PDFDocument, PDFImage } from "@cantoo/pdf-lib";
import type { Blocks } from "../shared/block.ts";
import { type InputFile, readInput } from "../shared/input-file.ts";
import { inputError, messageOf } from "../shared/script-error.ts";
import type { ScriptIo } from "../shared/script-io.ts";

const MB = 1024 * 1024;
const IMAGE_BYTES = 30 * MB;
const IMAGE_PIXELS = 50_000_000;

/** Embeds every image of the description once. Paths are meant from the file that names them. */
export async function embedImages(
  document: PDFDocument,
  blocks: Blocks,
  base: string | undefined,
  io: ScriptIo,
): Promise<ReadonlyMap<string, PDFImage>> {
  const images = new Map<string, PDFImage>();
  for (const path of findPaths(blocks)) {
    if (images.has(path)) continue;
    const file = await readInput(base === undefined ? path : join(dirname(base), path), io, {
      maxBytes: IMAGE_BYTES,
    });
    images.set(path, await embedImage(document, file));
  }
  return images;
}

function findPaths(blocks: Blocks): readonly string[] {
  return blocks.flatMap((block) => {
    if (block.type === "image") return [block.path];
    if (block.type === "quote") return findPaths(block.blocks);
    return block.type === "list" ? block.items.flatMap(findPaths) : [];
  });
}

async function embedImage(document: PDFDocument, file: InputFile): Promise<PDFImage> {
  const { bytes, path } = file;
  const isPng = Buffer.from(bytes.subarray(0, 4)).toString("latin1") === "\x89PNG";
  const isJpeg = bytes[0] === 0xff && bytes[1] === 0xd8;
  if (!isPng && !isJpeg) {
    throw inputError(
      "IMAGE_NOT_SUPPORTED",
      `${path} is neither PNG nor JPEG.`,
      "Convert it to one of them first.",
    );
  }
  if (isPng) rejectHuge(file);
  try {
    return isPng ? await document.embedPng(bytes) : await document.embedJpg(bytes);
  } catch (error) {
    throw inputError("BROKEN_FILE", `${path} is damaged: ${messageOf(error)}`, undefined, error);
  }
}

/** A PNG of some bytes can unpack to billions of points. */
function rejectHuge({ bytes, path }: InputFile): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const pixels = bytes.length < 24 ? 0 : view.getUint32(16) * view.getUint32(20);
  if (pixels <= IMAGE_PIXELS) return;
  throw inputError("FILE_TOO_LARGE", `${path} has ${pixels} points; ${IMAGE_PIXELS} are the most.`);
}
