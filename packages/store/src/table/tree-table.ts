import { Digest } from "@skillhold/protocol";
import type { StoredTree, TreeFile, TreePage } from "@skillhold/registry/record";
import { z } from "zod";
import type { Queries, Tx } from "../engine/db.ts";
import { fromJson } from "../engine/json-column.ts";
import { chunks, joinSql, pageLimit, sql } from "../engine/sql.ts";

/** A compact row format, because some trees have thousands of files. */
type Entry = readonly [path: string, size: number, digest: string, executable: 0 | 1];

const TreeRow = z.object({ hash: Digest, files: z.string() }).transform(toTree);

export async function selectTree(db: Queries, hash: Digest): Promise<readonly TreeFile[] | undefined> {
  const rows = await db.all(sql`select hash, files from tree where hash = ${hash}`, TreeRow);
  return rows[0]?.files;
}

export async function selectTreesOf(
  db: Queries,
  hashes: readonly Digest[],
): Promise<ReadonlyMap<Digest, readonly TreeFile[]>> {
  const query = sql`select hash, files from tree where hash in (${joinSql(hashes)})`;
  return new Map((await db.all(query, TreeRow)).map(({ hash, files }) => [hash, files]));
}

/** Ordered by hash. */
export async function selectTrees(db: Queries, { after, limit }: TreePage): Promise<readonly StoredTree[]> {
  const rest = after === undefined ? sql`` : sql`where hash > ${after}`;
  const page = sql`limit ${pageLimit(limit)}`;
  return await db.all(sql`select hash, files from tree ${rest} order by hash ${page}`, TreeRow);
}

/** Replaces an existing tree, whose row may be damaged. */
export async function putTree(tx: Tx, hash: Digest, files: readonly TreeFile[]): Promise<void> {
  const entries = files.map(
    ({ path, size, digest, executable }): Entry => [path, size, digest, executable ? 1 : 0],
  );
  await tx.run(sql`insert into tree (hash, files) values (${hash}, ${JSON.stringify(entries)})
    on conflict (hash) do update set files = excluded.files`);
}

export async function removeTrees(tx: Tx, hashes: readonly Digest[]): Promise<void> {
  for (const chunk of chunks(hashes)) await tx.run(sql`delete from tree where hash in (${joinSql(chunk)})`);
}

function toTree({ hash, files }: { readonly hash: Digest; readonly files: string }): StoredTree {
  return {
    hash,
    files: fromJson<readonly Entry[]>(files).map(([path, size, digest, executable]) => ({
      path,
      size,
      // Valid when it was written; readers verify the bytes against it.
      digest: digest as Digest,
      executable: executable === 1,
    })),
  };
}
