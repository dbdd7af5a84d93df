import { hash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { freeBytes, type SearchStore } from "@skillhold/core/library";
import { z } from "zod";
import type { Db, Queries } from "../engine/db.ts";
import { fromJson } from "../engine/json-column.ts";
import { joinSql, sql } from "../engine/sql.ts";

/** A query of this size takes a few milliseconds of the event loop. */
const PIECE_BYTES = 1024 * 1024;

const Pieces = z.array(z.string().regex(/^[0-9a-f]{64}$/)).max(100_000);
const IndexRow = z.object({ pieces: z.string() }).transform(({ pieces }) => Pieces.parse(fromJson(pieces)));
const HashRow = z.object({ hash: z.string() });
const SizeRow = z.object({ hash: z.string(), size: z.number() });
const PieceRow = z.object({ content: z.instanceof(Uint8Array) });

/** The search index of a registry, which all its gateways share, in pieces that are named by their hashes. */
export function searchIndexTable(db: Db): SearchStore {
  let isDamaged = false;
  return {
    load: async () => {
      const bytes = await loadIndex(db);
      isDamaged = bytes === "damaged";
      return bytes === "damaged" ? undefined : bytes;
    },
    save: async (bytes) => {
      await saveIndex(db, bytes, isDamaged);
      isDamaged = false;
    },
  };
}

/** Copies the pieces one by one: many at once would leave holes in the memory of the process, which it keeps. */
async function loadIndex(db: Db): Promise<Uint8Array | "damaged" | undefined> {
  const [names = []] = await db.all(sql`select pieces from search_index`, IndexRow);
  const rows = await db.all(sql`select hash, length(content) as size from search_piece`, SizeRow);
  const sizes = new Map(rows.map(({ hash, size }) => [hash, size]));
  const bytes = new Uint8Array(names.reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0));
  let end = 0;
  for (const name of names) {
    const [piece] = await db.all(sql`select content from search_piece where hash = ${name}`, PieceRow);
    if (piece === undefined || piece.content.length !== sizes.get(name)) return "damaged";
    if (hash("sha256", piece.content, "hex") !== name) return "damaged";
    bytes.set(piece.content, end);
    end += piece.content.length;
    freeBytes(piece.content);
  }
  return end === 0 ? undefined : bytes;
}

/** Writes all pieces or those that are new, then names all of them in one transaction and removes the others. */
async function saveIndex(db: Db, bytes: Uint8Array, all: boolean): Promise<void> {
  if (bytes.length === 0) return;
  const names: string[] = [];
  const kept = new Set((await db.all(sql`select hash from search_piece`, HashRow)).map(({ hash }) => hash));
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
    const piece = bytes.subarray(start, start + PIECE_BYTES);
    const name = hash("sha256", piece, "hex");
    names.push(name);
    if (kept.has(name) && !all) await setImmediate();
    else
      await db.transaction(
        async (tx) =>
          await tx.run(sql`insert into search_piece (hash, content) values (${name}, ${piece})
            on conflict (hash) do update set content = excluded.content`),
      );
  }
  await db.transaction(async (tx) => {
    await tx.lock("search index");
    // Another gateway that saved meanwhile may have removed pieces; its index is as good as this one.
    if ((await countPieces(tx, names)) < new Set(names).size) return;
    await tx.run(sql`insert into search_index (id, pieces) values (1, ${JSON.stringify(names)})
      on conflict (id) do update set pieces = excluded.pieces`);
    await tx.run(sql`delete from search_piece where hash not in (${joinSql(names)})`);
  });
}

async function countPieces(db: Queries, names: readonly string[]): Promise<number> {
  const query = sql`select hash from search_piece where hash in (${joinSql(names)})`;
  return (await db.all(query, HashRow)).length;
}
