import { isUtf8 } from "node:buffer";
import type { BytesReply } from "../http/handler.ts";
import type { Span } from "../http/range.ts";

/** Pictures that cannot hold a script; what shows them does not run them. */
const pictures: ReadonlyMap<string, string> = new Map([
  ["gif", "image/gif"],
  ["jpeg", "image/jpeg"],
  ["jpg", "image/jpeg"],
  ["png", "image/png"],
  ["webp", "image/webp"],
]);

/**
 * A stranger's file as an answer. No browser takes it for a page or a script of the gateway's: text is plain text,
 * and what is neither text nor a picture is only to be saved.
 */
export function fileReply(
  path: string,
  bytes: Uint8Array<ArrayBuffer>,
  etag: string,
  span?: Span,
): BytesReply {
  const part = span === undefined ? bytes : bytes.subarray(span.start, span.end);
  const type = typeOf(path, bytes);
  const headers = {
    "accept-ranges": "bytes",
    "content-length": String(part.length),
    "content-security-policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
    ...(type === OTHER ? { "content-disposition": attachment(path) } : {}),
    ...(span === undefined ? {} : { "content-range": `bytes ${span.start}-${span.end - 1}/${bytes.length}` }),
  };
  return { bytes: part, type, etag, headers, status: span === undefined ? 200 : 206 };
}

const OTHER = "application/octet-stream";

function typeOf(path: string, bytes: Uint8Array): string {
  const picture = pictures.get(/\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? "");
  if (picture !== undefined) return picture;
  return isUtf8(bytes) && !bytes.includes(0) ? "text/plain; charset=utf-8" : OTHER;
}

/** What a browser saves it as: the last part of its path, and nothing in it that could end the header. */
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
