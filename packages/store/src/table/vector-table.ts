import type { VectorStore } from "@skillhold/core/semantic";
import { z } from "zod";
import type { Db } from "../engine/db.ts";
import { chunks, isStorable, joinSql, sql } from "../engine/sql.ts";

const VectorRow = z.object({ key: z.string(), vector: z.instanceof(Uint8Array) });

/** Vectors of the search, by embedder and by the hash of the embedded text. */
export function vectorTable(db: Db): VectorStore {
  return {
    load: async (embedder, keys) => {
      const found = new Map<string, Int8Array>();
      if (!isStorable(embedder)) return found;
      for (const some of chunks(keys.filter(isStorable))) {
        const query = sql`select key, vector from search_vector
          where embedder = ${embedder} and key in (${joinSql(some)})`;
        // A copy: rows may share the memory of one answer.
        for (const { key, vector } of await db.all(query, VectorRow)) found.set(key, new Int8Array(vector));
      }
      return found;
    },
    save: async (embedder, vectors) => {
      if (!isStorable(embedder)) return;
      await db.transaction(async (tx) => {
        for (const [key, vector] of vectors) {
          const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.length);
          await tx.run(sql`insert into search_vector (embedder, key, vector)
            values (${embedder}, ${key}, ${bytes})
            on conflict (embedder, key) do update set vector = excluded.vector`);
        }
      });
    },
  };
}
