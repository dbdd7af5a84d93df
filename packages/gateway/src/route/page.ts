import type { z } from "zod";
import { badCursor, readCursor, writeCursor } from "../http/cursor.ts";

/** The paging parameters of a query. */
export interface PageQuery {
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}

/** An ordered list whose rows have unique positions. */
export interface PagedList<Row, Position> {
  readonly position: z.ZodType<Position>;
  readonly positionOf: (row: Row) => Position;
  /** At most `limit` rows after a position, or from the start. */
  readonly list: (after: Position | undefined, limit: number) => Promise<readonly Row[]>;
}

export interface ListPage<Row> {
  readonly rows: readonly Row[];
  readonly next: { readonly nextCursor?: string };
}

const PAGE_SIZE = 100;

/**
 * One page of a list. A row that exists during the whole listing is on exactly one page, even when other rows come and
 * go. Throws USAGE for an invalid cursor.
 */
export async function readPage<Row, Position>(
  { cursor, limit = PAGE_SIZE }: PageQuery,
  { position, positionOf, list }: PagedList<Row, Position>,
): Promise<ListPage<Row>> {
  const after = cursor === undefined ? undefined : readPosition(cursor, position);
  // One row more shows whether there is a next page.
  const listed = await list(after, limit + 1);
  const rows = listed.slice(0, limit);
  const last = rows.at(-1);
  const isLast = listed.length <= limit || last === undefined;
  return { rows, next: isLast ? {} : { nextCursor: writeCursor(JSON.stringify(positionOf(last))) } };
}

function readPosition<Position>(cursor: string, position: z.ZodType<Position>): Position {
  try {
    const { success, data } = position.safeParse(JSON.parse(readCursor(cursor)));
    if (success) return data;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw badCursor();
}

/** Identifies and orders the rows of a list in memory; the first part is the most significant. */
export type RowKey = readonly (string | number)[];

export interface KeyedRow<Row> {
  readonly key: RowKey;
  readonly row: Row;
}

/** At most `limit` rows of a list in memory, after a key. */
export function rowsAfter<Row>(
  rows: readonly KeyedRow<Row>[],
  after: RowKey | undefined,
  limit: number,
): readonly KeyedRow<Row>[] {
  const rest = after === undefined ? rows : rows.filter(({ key }) => compareKeys(key, after) > 0);
  return rest.toSorted((a, b) => compareKeys(a.key, b.key)).slice(0, limit);
}

/** Contract: both keys have the same number of parts. */
function compareKeys(a: RowKey, b: RowKey): number {
  for (const [at, part] of a.entries()) {
    const other = b[at] ?? part;
    if (part !== other) return part < other ? -1 : 1;
  }
  return 0;
}
