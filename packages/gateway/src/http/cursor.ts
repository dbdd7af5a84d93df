import { hash } from "node:crypto";
import { SkillError } from "@skillhold/protocol/error";

/** Where a list goes on, as a text that means nothing to anyone else. */
export function writeCursor(last: string): string {
  return Buffer.from(`${last}\n${checkOf(last)}`).toString("base64url");
}

/** Throws USAGE for one that was not given out like this. */
export function readCursor(cursor: string): string {
  const [last = ""] = Buffer.from(cursor, "base64url").toString("utf8").split("\n", 1);
  if (last !== "" && writeCursor(last) === cursor) return last;
  throw badCursor();
}

export function badCursor(): SkillError {
  return new SkillError("USAGE", "The cursor is not one that was given out.", {
    hint: "Send the nextCursor of the page before as it is, or none for the first page.",
  });
}

/** Nothing is kept secret by it: whoever makes one up only gets another page of their own list. */
function checkOf(last: string): string {
  return hash("sha256", `cursor ${last}`, "hex").slice(0, 8);
}
