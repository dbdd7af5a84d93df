import type { FolderToggle } from "@skillhold/registry/record";
import { z } from "zod";
import type { Queries, Tx } from "../engine/db.ts";
import { sql } from "../engine/sql.ts";

const ToggleRow = z
  .object({ id: z.string(), is_enabled: z.literal([0, 1]), toggled_by: z.string(), at: z.string() })
  .transform(
    (row): FolderToggle => ({
      id: row.id,
      isEnabled: row.is_enabled === 1,
      by: row.toggled_by,
      at: row.at,
    }),
  );

/** The toggles of skills in folders, ordered by id. */
export async function selectToggles(db: Queries): Promise<readonly FolderToggle[]> {
  return await db.all(sql`select id, is_enabled, toggled_by, at from folder_toggle order by id`, ToggleRow);
}

/** Replaces an earlier toggle. */
export async function putToggle(tx: Tx, { id, isEnabled, by, at }: FolderToggle): Promise<void> {
  await tx.run(sql`insert into folder_toggle (id, is_enabled, toggled_by, at)
    values (${id}, ${isEnabled ? 1 : 0}, ${by}, ${at})
    on conflict (id) do update set is_enabled = excluded.is_enabled, toggled_by = excluded.toggled_by,
      at = excluded.at`);
}
