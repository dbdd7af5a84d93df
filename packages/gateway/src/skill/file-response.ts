import { isUtf8 } from "node:buffer";
import type { BytesReply } from "../http/handler.ts";
import type { FileRange } from "../http/range.ts";

/** Image types that cannot contain a script. */
const imageTypes: ReadonlyMap<string, string> = new Map([
  ["gif", "image/gif"],
  ["jpeg", "image/jpeg"],
  ["jpg", "image/jpeg"],
  ["png", "image/png"],
  ["webp", "image/webp"],
]);

/**
 * The response for an untrusted file. A browser never renders it as a page or runs it as a script of the gateway: text is
 * plain text, and everything else except images is a download.
 */
export function fileReply(
  path: string,
  bytes: Uint8Array<ArrayBuffer>,
  etag: string,
  range?: FileRange,
): BytesReply {
  const part = range === undefined ? bytes : bytes.subarray(range.start, range.end);
  const type = typeOf(path, bytes);
  const headers = {
    "accept-ranges": "bytes",
    "content-length": String(part.length),
    "content-security-policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
    ...(type === BINARY ? { "content-disposition": attachment(path) } : {}),
    ...(range === undefined
      ? {}
      : { "content-range": `bytes ${range.start}-${range.end - 1}/${bytes.length}` }),
  };
  return { bytes: part, type, etag, headers, status: range === undefined ? 200 : 206 };
}

const BINARY = "application/octet-stream";

function typeOf(path: string, bytes: Uint8Array): string {
  const image = imageTypes.get(/\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? "");
  if (image !== undefined) return image;
  return isUtf8(bytes) && !bytes.includes(0) ? "text/plain; charset=utf-8" : BINARY;
}

/** A content-disposition for the last part of a path, without characters that could end the header. */
export function attachment(path: string): string {
  const name = path.split("/").at(-1) ?? "";
  const plain = name.replaceAll(/[^\w.-]/g, "_");
  if (plain === name) return `attachment; filename="${plain}"`;
  return `attachment; filename="${plain}"; filename*=UTF-8''${encodeName(name)}`;
}

function encodeName(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
