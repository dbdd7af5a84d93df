import { SkillError } from "@skillhold/protocol/error";
import type { Route } from "@skillhold/protocol/http";
import { shortHash } from "../bytes.ts";
import { chooseEncoding, compress, encodedTag, MIN_COMPRESSED } from "./compression.ts";
import { isFresh, knownTag } from "./condition.ts";
import type { BytesReply, ContentReply, JsonReply, JsonTextReply, UnchangedReply } from "./handler.ts";
import type { Served } from "./served.ts";

/** The reply of any handler. */
export type AnyReply = Partial<
  JsonReply<unknown> & JsonTextReply & BytesReply & UnchangedReply & ContentReply
>;

/** Headers of every response: no response can be framed, sniffed or embedded by another site. */
export const securityHeaders = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
} as const;

export interface ResponsePorts {
  readonly request: Request;
  readonly requestId: string;
  /** Reserves memory for a body until the client has read it; throws RATE_LIMITED above the client's limit. */
  readonly reserve: (bytes: number) => void;
  /** Records served skill content; resolves when the record is durable. */
  readonly record: (served: readonly Served[]) => Promise<void>;
}

/**
 * The response writer. It records the content of a content route before it returns the response: a failed record is a
 * failed request. HEAD and 304 responses contain no content and are not recorded.
 */
export async function respond(row: Route, reply: AnyReply, ports: ResponsePorts): Promise<Response> {
  const response = await buildResponse(row, reply, ports);
  if (row.content !== "skill" || response.status === 304 || ports.request.method === "HEAD") return response;
  if (reply.served === undefined)
    throw new SkillError(
      "INTERNAL",
      `The handler of ${row.method} ${row.path} returned no record of its content.`,
    );
  await ports.record(reply.served);
  return response;
}

/** The headers are a plain object because the server writes one without a copy. */
async function buildResponse(row: Route, reply: AnyReply, ports: ResponsePorts): Promise<Response> {
  const { request, requestId } = ports;
  const json = isJson(row) ? (reply.json ?? JSON.stringify(reply.data)) : undefined;
  const etag = reply.unchanged ?? reply.etag ?? tagOf(row, json);
  const headers: Record<string, string> = {
    ...securityHeaders,
    "cache-control": "private, no-cache",
    "x-request-id": requestId,
    ...(etag === undefined ? {} : { etag: `"${etag}"` }),
    ...(mayCompress(row, reply) ? { vary: "accept-encoding" } : {}),
    ...reply.headers,
  };
  const isUnchanged =
    reply.unchanged !== undefined ||
    (row.condition === "read" && etag !== undefined && isFresh(request.headers, etag));
  if (isUnchanged) {
    if (etag !== undefined) headers["etag"] = `"${knownTag(request.headers, etag)}"`;
    return new Response(null, { status: 304, headers });
  }
  if (row.answer === "nothing") return new Response(null, { status: row.status ?? 204, headers });
  if (row.answer === "bytes") {
    headers["content-type"] = reply.type ?? "application/octet-stream";
    const body = bodyOf(reply.bytes ?? null, headers, ports);
    return new Response(body, { status: reply.status ?? 200, headers });
  }
  headers["content-type"] = "application/json";
  const packed = mayCompress(row, reply) ? await packedBody(json, headers, ports) : undefined;
  return new Response(bodyOf(packed ?? json ?? null, headers, ports), { status: row.status ?? 200, headers });
}

/**
 * Only JSON of GET routes is compressed. A response with a secret is not: its length would show how much of the
 * secret other parts of the response repeat. Such responses are never stored.
 */
function mayCompress(row: Route, { headers }: AnyReply): boolean {
  return row.method === "GET" && isJson(row) && headers?.["cache-control"] !== "no-store";
}

/** The compressed body, with its headers; undefined when the client or the length does not allow one. */
async function packedBody(
  json: string | Uint8Array<ArrayBuffer> | undefined,
  headers: Record<string, string>,
  { request }: ResponsePorts,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const encoding = chooseEncoding(request.headers.get("accept-encoding"));
  if (encoding === undefined || json === undefined || json.length < MIN_COMPRESSED) return undefined;
  const bytes = typeof json === "string" ? new TextEncoder().encode(json) : json;
  const packed = await compress(bytes, encoding);
  headers["content-encoding"] = encoding;
  const tag = /^"(.*)"$/.exec(headers["etag"] ?? "")?.[1];
  if (tag !== undefined) headers["etag"] = `"${encodedTag(tag, encoding)}"`;
  return packed;
}

function isJson({ answer }: Route): boolean {
  return answer !== "nothing" && answer !== "bytes";
}

/** A readable route without its own ETag gets the hash of its body. */
function tagOf({ condition }: Route, json: string | Uint8Array | undefined): string | undefined {
  return condition === "read" && json !== undefined ? shortHash(json) : undefined;
}

type Body = NonNullable<AnyReply["bytes"]> | null;
const CHUNK_BYTES = 256 * 1024;

/** Sets content-length, since a body that is sent in chunks does not show its length. */
function bodyOf(body: Body, headers: Record<string, string>, { request, reserve }: ResponsePorts): Body {
  const bytes = typeof body === "string" && body.length > CHUNK_BYTES ? new TextEncoder().encode(body) : body;
  if (!(bytes instanceof Uint8Array)) return bytes;
  headers["content-length"] = String(bytes.length);
  if (request.method !== "HEAD") reserve(bytes.length);
  return inChunks(bytes);
}

/** Splits a long body into chunks, so that the stream shows how much of it the client has read. */
export function inChunks(
  body: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> {
  if (body.length <= CHUNK_BYTES) return body;
  let start = 0;
  return new ReadableStream({
    pull: (controller) => {
      controller.enqueue(body.subarray(start, start + CHUNK_BYTES));
      start += CHUNK_BYTES;
      if (start >= body.length) controller.close();
    },
  });
}
