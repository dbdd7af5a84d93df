import type { z } from "zod";
import { badCursor, readCursor, writeCursor } from "../http/cursor.ts";

/** What a query for a list says of the page that is wanted. */
export interface Paging {
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}

/** A list in an order of its own: a place in it is told by what its rows are told apart by. */
export interface PagedList<Row, Place> {
  readonly place: z.ZodType<Place>;
  readonly placeOf: (row: Row) => Place;
  /** So many rows after a place, or from the start. */
  readonly list: (after: Place | undefined, limit: number) => Promise<readonly Row[]>;
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly next: { readonly nextCursor?: string };
}

const PAGE = 100;

/**
 * A page of a list. What is there all the while is on one page, whatever comes and goes meanwhile. Throws USAGE for a
 * cursor that no page of the list has given out.
 */
export async function pageOf<Row, Place>(
  { cursor, limit = PAGE }: Paging,
  { place, placeOf, list }: PagedList<Row, Place>,
): Promise<Page<Row>> {
  const after = cursor === undefined ? undefined : readPlace(cursor, place);
  // Whether there is a next page shows by one row more.
  const found = await list(after, limit + 1);
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  const isLast = found.length <= limit || last === undefined;
  return { rows, next: isLast ? {} : { nextCursor: writeCursor(JSON.stringify(placeOf(last))) } };
}

function readPlace<Place>(cursor: string, place: z.ZodType<Place>): Place {
  try {
    const { success, data } = place.safeParse(JSON.parse(readCursor(cursor)));
    if (success) return data;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw badCursor();
}

/** What tells the rows of a list in memory apart, and orders them: the first part counts most. */
export type RowKey = readonly (string | number)[];

export interface KeyedRow<Row> {
  readonly key: RowKey;
  readonly row: Row;
}

/** So many rows of a list in memory, after a key. */
export function rowsAfter<Row>(
  rows: readonly KeyedRow<Row>[],
  after: RowKey | undefined,
  limit: number,
): readonly KeyedRow<Row>[] {
  const rest = after === undefined ? rows : rows.filter(({ key }) => compareKeys(key, after) > 0);
  return rest.toSorted((a, b) => compareKeys(a.key, b.key)).slice(0, limit);
}

/** Contract: both have the same parts. */
function compareKeys(a: RowKey, b: RowKey): number {
  for (const [at, part] of a.entries()) {
    const other = b[at] ?? part;
    if (part !== other) return part < other ? -1 : 1;
  }
  return 0;
}
