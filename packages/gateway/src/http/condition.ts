import { SkillError } from "@skillhold/protocol/error";
import type { Route } from "@skillhold/protocol/http";
import { encodedTag, encodings, plainTag } from "./compression.ts";

/** Whether the client already has the representation with this ETag. */
export function isFresh(headers: Headers, etag: string): boolean {
  const given = headers.get("if-none-match");
  if (given === null) return false;
  return listTags(given).some((tag) => tag === "*" || unquoted(tag.replace(/^W\//, "")) === etag);
}

/** Rejects a change when If-Match names another ETag. A request without If-Match is unconditional. */
export function rejectStale(headers: Headers, etag: string): void {
  const given = headers.get("if-match");
  if (given === null || listTags(given).some((tag) => tag === "*" || unquoted(tag) === etag)) return;
  throw new SkillError("PRECONDITION_FAILED", "The resource changed since you read it.", {
    hint: "Read it again, and repeat the change with the new ETag.",
    details: { etag },
  });
}

/** Rejects If-Match on a route that would ignore it. */
export function rejectUnsupported({ method, condition }: Route, { headers }: Request): void {
  if (method === "GET" || condition === "write" || headers.get("if-match") === null) return;
  throw new SkillError("USAGE", "This route does not support If-Match.", {
    hint: "Leave the header out. /openapi.json lists the routes that support it.",
  });
}

function listTags(header: string): readonly string[] {
  return header.split(",").map((part) => part.trim());
}

/** The tag of the representation that the client has: the encoded one where the client names it. */
export function knownTag(headers: Headers, etag: string): string {
  const given = listTags(headers.get("if-none-match") ?? "");
  const encoded = encodings.map((encoding) => encodedTag(etag, encoding));
  return encoded.find((tag) => given.includes(`"${tag}"`)) ?? etag;
}

/** Removes the quotes and the encoding of a strong tag. A weak tag stays as it is and matches no ETag. */
function unquoted(tag: string): string {
  return plainTag(tag.replace(/^"(.*)"$/, "$1"));
}
