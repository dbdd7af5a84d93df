import { Digest, SkillId, SkillStatus, Visibility } from "@skillhold/protocol";
import type { Page, RegisteredSkill } from "@skillhold/registry/record";
import { z } from "zod";
import type { Queries, Tx } from "../engine/db.ts";
import { fromJson } from "../engine/json-column.ts";
import { isStorable, joinSql, type Sql, sql } from "../engine/sql.ts";
import { pageLimit } from "./page-limit.ts";

const columns = sql`uid, id, owner, visibility, is_system, is_enabled, status, reason, deps, revision,
  last_revision, tree_hash, override, created_at, updated_at, deleted_at`;

/** What most rows hold is not worth parsing. */
const NO_DEPS = '{"missing":[]}';
const NO_OVERRIDE = "{}";

const flag = z.literal([0, 1]);

/** The columns that are read. */
export const SkillColumns = z.object({
  uid: z.string(),
  id: SkillId,
  owner: z.string(),
  visibility: Visibility,
  is_system: flag,
  is_enabled: flag,
  status: SkillStatus,
  reason: z.string().nullable(),
  deps: z.string(),
  revision: z.int(),
  last_revision: z.int(),
  tree_hash: Digest.nullable(),
  override: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  deleted_at: z.string().nullable(),
});
export type SkillColumns = z.infer<typeof SkillColumns>;

const SkillRow = SkillColumns.transform(toSkill);

/** By id or by uid; deleted ones too. */
export async function findSkill(db: Queries, idOrUid: string): Promise<RegisteredSkill | undefined> {
  if (!isStorable(idOrUid)) return undefined;
  // An id wins, should someone's uid look like one.
  const query = sql`select ${columns} from skill where id = ${idOrUid} or uid = ${idOrUid}
    order by case when id = ${idOrUid} then 0 else 1 end limit 1`;
  return (await db.all(query, SkillRow))[0];
}

/** Ordered by id; deleted ones too. */
export async function listSkills(
  db: Queries,
  { after, limit }: Page = {},
): Promise<readonly RegisteredSkill[]> {
  const rest = after === undefined ? sql`` : sql`where id > ${after}`;
  const page = limit === undefined ? sql`` : sql`limit ${pageLimit(limit)}`;
  return await db.all(sql`select ${columns} from skill ${rest} order by id ${page}`, SkillRow);
}

/** Inserts the skill, or replaces the row of its uid. What was embedded stays while the words are the same. */
export async function putSkill(tx: Tx, skill: RegisteredSkill): Promise<void> {
  await tx.run(sql`insert into skill (${columns}) values (${joinSql(valuesOf(skill))})
    on conflict (uid) do update set ${assignments},
      embedding = case when ${isSameText} then skill.embedding end,
      embedding_model = case when ${isSameText} then skill.embedding_model end`);
}

const isSameText = sql`skill.revision = excluded.revision and skill.override = excluded.override`;

const assignments: Sql = sql`id = excluded.id, owner = excluded.owner, visibility = excluded.visibility,
  is_system = excluded.is_system, is_enabled = excluded.is_enabled, status = excluded.status,
  reason = excluded.reason, deps = excluded.deps, revision = excluded.revision,
  last_revision = excluded.last_revision, tree_hash = excluded.tree_hash, override = excluded.override,
  created_at = excluded.created_at, updated_at = excluded.updated_at, deleted_at = excluded.deleted_at`;

function valuesOf(skill: RegisteredSkill) {
  return [
    skill.uid,
    skill.id,
    skill.owner,
    skill.visibility,
    skill.isSystem ? 1 : 0,
    skill.isEnabled ? 1 : 0,
    skill.status,
    skill.reason ?? null,
    JSON.stringify({ missing: skill.missing }),
    skill.revision,
    skill.lastRevision,
    skill.treeHash ?? null,
    JSON.stringify(skill.override),
    skill.createdAt,
    skill.updatedAt,
    skill.deletedAt ?? null,
  ];
}

export function toSkill(row: SkillColumns): RegisteredSkill {
  return {
    uid: row.uid,
    id: row.id,
    owner: row.owner,
    visibility: row.visibility,
    isSystem: row.is_system === 1,
    isEnabled: row.is_enabled === 1,
    status: row.status,
    reason: row.reason ?? undefined,
    missing: row.deps === NO_DEPS ? [] : fromJson<{ readonly missing: readonly string[] }>(row.deps).missing,
    revision: row.revision,
    lastRevision: row.last_revision,
    treeHash: row.tree_hash ?? undefined,
    override: row.override === NO_OVERRIDE ? {} : fromJson<RegisteredSkill["override"]>(row.override),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    deletedAt: row.deleted_at ?? undefined,
  };
}
