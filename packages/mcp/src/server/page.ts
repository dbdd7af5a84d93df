import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";

/** A page of a list, with the cursor of the next page. */
export interface CursorPage<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string;
}

const PREFIX = "after:";

/** The items after the cursor. Contract: they are ordered by `key`, and keys are unique. */
export function pageAfter<T>(
  all: readonly T[],
  cursor: string | undefined,
  size: number,
  key: (item: T) => string,
): CursorPage<T> {
  const after = cursor === undefined ? undefined : readCursor(cursor);
  const rest = after === undefined ? all : all.filter((item) => key(item) > after);
  const items = rest.slice(0, size);
  const last = items.at(-1);
  return rest.length > size && last !== undefined ? { items, nextCursor: writeCursor(key(last)) } : { items };
}

function writeCursor(key: string): string {
  return Buffer.from(`${PREFIX}${key}`).toString("base64url");
}

function readCursor(cursor: string): string {
  const text = Buffer.from(cursor, "base64url").toString();
  if (text.startsWith(PREFIX) && writeCursor(text.slice(PREFIX.length)) === cursor)
    return text.slice(PREFIX.length);
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, "The cursor is invalid.");
}
