import { hash } from "node:crypto";
import { SkillError } from "@skillhold/protocol/error";

/** An opaque cursor for the position after a row. */
export function writeCursor(last: string): string {
  return Buffer.from(`${last}\n${checksum(last)}`).toString("base64url");
}

/** Throws USAGE for a cursor that `writeCursor` did not make. */
export function readCursor(cursor: string): string {
  const [last = ""] = Buffer.from(cursor, "base64url").toString("utf8").split("\n", 1);
  if (last !== "" && writeCursor(last) === cursor) return last;
  throw badCursor();
}

export function badCursor(): SkillError {
  return new SkillError("USAGE", "The cursor is invalid.", {
    hint: "Send the nextCursor of the previous page unchanged, or no cursor for the first page.",
  });
}

/** The checksum is not a secret: a forged cursor only gives another page of the caller's own list. */
function checksum(last: string): string {
  return hash("sha256", `cursor ${last}`, "hex").slice(0, 8);
}
