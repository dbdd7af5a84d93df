import { SkillError } from "@skillhold/protocol/error";

/** Whether the caller already has what this tag stands for. */
export function isFresh(headers: Headers, etag: string): boolean {
  const given = headers.get("if-none-match");
  return given !== null && listTags(given).some((tag) => tag === "*" || tag === etag);
}

/** Refuses a change to something that is not as the caller last saw it. One who does not say what they saw may change it. */
export function rejectStale(headers: Headers, etag: string): void {
  const given = headers.get("if-match");
  if (given === null || listTags(given).some((tag) => tag === "*" || tag === etag)) return;
  throw new SkillError("PRECONDITION_FAILED", "It is not as you last saw it.", { details: { etag } });
}

function listTags(header: string): readonly string[] {
  return header.split(",").map((part) =>
    part
      .trim()
      .replace(/^W\//, "")
      .replace(/^"(.*)"$/, "$1"),
  );
}
