import type { Route } from "@skillhold/protocol/http";
import { shortHash } from "../digest.ts";
import { isFresh } from "./condition.ts";
import type { BytesReply, JsonReply, TextReply, UnchangedReply } from "./handler.ts";
import { inParts } from "./in-parts.ts";

export type AnyReply = Partial<JsonReply<unknown> & TextReply & BytesReply & UnchangedReply>;

/** What is true of every answer: it is nobody's page, and nobody's guess. */
export const always = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
} as const;

export interface Answering {
  readonly request: Request;
  readonly requestId: string;
  /** Told how much lies in memory until it is taken; throws where that is too much. */
  readonly weigh: (bytes: number) => void;
}

/** An answer as its row of the table says. Headers are a plain object: the server writes one as it is. */
export function respond(row: Route, reply: AnyReply, answering: Answering): Response {
  const { request, requestId } = answering;
  const json = isJson(row) ? (reply.json ?? JSON.stringify(reply.data)) : undefined;
  const etag = reply.unchanged ?? reply.etag ?? tagOf(row, json);
  const headers: Record<string, string> = {
    ...always,
    "cache-control": "private, no-cache",
    "x-request-id": requestId,
    ...(etag === undefined ? {} : { etag: `"${etag}"` }),
    ...reply.headers,
  };
  const isUnchanged =
    reply.unchanged !== undefined ||
    (row.condition === "read" && etag !== undefined && isFresh(request.headers, etag));
  if (isUnchanged) return new Response(null, { status: 304, headers });
  if (row.answer === "nothing") return new Response(null, { status: row.status ?? 204, headers });
  if (row.answer === "bytes") {
    headers["content-type"] = reply.type ?? "application/octet-stream";
    const body = bodyOf(reply.bytes ?? null, headers, answering);
    return new Response(body, { status: reply.status ?? 200, headers });
  }
  headers["content-type"] = "application/json";
  return new Response(bodyOf(json ?? null, headers, answering), { status: row.status ?? 200, headers });
}

function isJson({ answer }: Route): boolean {
  return answer !== "nothing" && answer !== "bytes";
}

/** Of what nothing shorter stands for, the text itself says whether it is another. */
function tagOf({ condition }: Route, json: string | Uint8Array | undefined): string | undefined {
  return condition === "read" && json !== undefined ? shortHash(json) : undefined;
}

type Body = NonNullable<AnyReply["bytes"]> | null;
const LONG_TEXT = 256 * 1024;

/** What is sent in parts does not show by itself how long it is. */
function bodyOf(body: Body, headers: Record<string, string>, { request, weigh }: Answering): Body {
  const given = typeof body === "string" && body.length > LONG_TEXT ? new TextEncoder().encode(body) : body;
  if (!(given instanceof Uint8Array)) return given;
  headers["content-length"] = String(given.length);
  if (request.method !== "HEAD") weigh(given.length);
  return inParts(given);
}

/** The same for a failure. */
export function respondProblem(
  problem: { readonly status: number },
  requestId: string,
  more: Readonly<Record<string, string>> = {},
): Response {
  const headers = { ...problemHeaders(requestId), ...more };
  return new Response(JSON.stringify(problem), { status: problem.status, headers });
}

export function problemHeaders(requestId: string) {
  return {
    ...always,
    "cache-control": "no-store",
    "content-type": "application/problem+json",
    "x-request-id": requestId,
  } as const;
}
