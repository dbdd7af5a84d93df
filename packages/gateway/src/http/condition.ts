import { SkillError } from "@skillhold/protocol/error";
import type { Route } from "@skillhold/protocol/http";

/** Whether the caller already has what this tag stands for. */
export function isFresh(headers: Headers, etag: string): boolean {
  const given = headers.get("if-none-match");
  if (given === null) return false;
  return listTags(given).some((tag) => tag === "*" || strongTag(tag.replace(/^W\//, "")) === etag);
}

/** Refuses a change to something that is not as the caller last saw it. One who does not say what they saw may change it. */
export function rejectStale(headers: Headers, etag: string): void {
  const given = headers.get("if-match");
  if (given === null || listTags(given).some((tag) => tag === "*" || strongTag(tag) === etag)) return;
  throw new SkillError("PRECONDITION_FAILED", "It is not as you last saw it.", { details: { etag } });
}

/** Refuses a condition that a change would else pass over in silence. */
export function rejectUnsupported({ method, condition }: Route, { headers }: Request): void {
  if (method === "GET" || condition === "write" || headers.get("if-match") === null) return;
  throw new SkillError("USAGE", "This route does not look at If-Match.", {
    hint: "Leave the header out; /openapi.json says which routes take it.",
  });
}

function listTags(header: string): readonly string[] {
  return header.split(",").map((part) => part.trim());
}

/** What stands for it; a weak tag stays as it is written, and is that of nothing here. */
function strongTag(tag: string): string {
  return tag.replace(/^"(.*)"$/, "$1");
}
