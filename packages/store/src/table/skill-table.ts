import { Digest, SkillId, SkillStatus, Trust, Visibility } from "@skillhold/protocol";
import type { CurrentSkill, ListPage, RegisteredSkill } from "@skillhold/registry/record";
import { z } from "zod";
import type { Queries, RowParser, Tx } from "../engine/db.ts";
import { fromJson } from "../engine/json-column.ts";
import { chunks, isStorable, joinSql, pageLimit, type Sql, sql } from "../engine/sql.ts";

const columns = sql`uid, id, owner, visibility, is_system, is_enabled, status, reason, deps, revision,
  last_revision, tree_hash, override, created_at, updated_at, deleted_at`;

/** The most common values, which are not parsed. */
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

/** By id or uid, including deleted skills. */
export async function selectSkill(db: Queries, idOrUid: string): Promise<RegisteredSkill | undefined> {
  if (!isStorable(idOrUid)) return undefined;
  // An id takes precedence over a uid.
  const query = sql`select ${columns} from skill where id = ${idOrUid} or uid = ${idOrUid}
    order by case when id = ${idOrUid} then 0 else 1 end limit 1`;
  return (await db.all(query, SkillRow))[0];
}

/** Including deleted skills. */
export async function selectSkillsOf(
  db: Queries,
  ids: readonly string[],
): Promise<ReadonlyMap<string, RegisteredSkill>> {
  const query = sql`select ${columns} from skill where id in (${joinSql(ids.filter(isStorable))})`;
  return new Map((await db.all(query, SkillRow)).map((skill) => [skill.id, skill]));
}

/** Ordered by id, including deleted skills. */
export async function selectSkillRows(
  db: Queries,
  { after, limit }: ListPage = {},
): Promise<readonly RegisteredSkill[]> {
  const rest = after === undefined ? sql`` : sql`where id > ${after}`;
  const page = limit === undefined ? sql`` : sql`limit ${pageLimit(limit)}`;
  return await db.all(sql`select ${columns} from skill ${rest} order by id ${page}`, SkillRow);
}

/** Inserts the skill or replaces the row with its uid. Keeps the embedding while the text is the same. */
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
    updatedAt: row.updated_at === row.created_at ? row.created_at : row.updated_at,
    deletedAt: row.deleted_at ?? undefined,
  };
}

/**
 * The skills with these ids, or all, or one page of all, with their current revisions, ordered by id. Excludes
 * deleted skills.
 */
export async function selectCurrent(
  db: Queries,
  ids?: readonly string[],
  page: ListPage = {},
): Promise<readonly CurrentSkill[]> {
  if (ids === undefined) return await selectCurrentPage(db, page);
  const found: CurrentSkill[] = [];
  // Sorted, so that the chunks are in order: both engines compare bytes, and ids are ASCII.
  for (const chunk of chunks([...new Set(ids)].filter(isStorable).sort())) {
    const query = sql`${current} ${isThere} and s.id in (${joinSql(chunk)}) order by s.id`;
    for (const skill of await db.all(query, currentReader())) found.push(skill);
  }
  return found;
}

async function selectCurrentPage(db: Queries, { after, limit }: ListPage): Promise<readonly CurrentSkill[]> {
  const rest = after === undefined ? sql`` : sql`and s.id > ${after}`;
  const page = limit === undefined ? sql`` : sql`limit ${pageLimit(limit)}`;
  return await db.all(sql`${current} ${isThere} ${rest} order by s.id ${page}`, currentReader());
}

/** Deleted skills that still have their bytes, with their last current revisions, ordered by id. */
export async function selectDeleted(db: Queries): Promise<readonly CurrentSkill[]> {
  const query = sql`${current} where s.status = 'deleted' and r.purged_at is null order by s.id`;
  return await db.all(query, currentReader());
}

/**
 * The ids of enabled skills that have dependencies, or are known to lack some, in order. The current revision's manifest
 * is compared as text: another spelling of an empty one only means a needless check.
 */
export async function selectDependent(db: Queries): Promise<readonly string[]> {
  const query = sql`select s.id from skill s join revision r on r.skill = s.uid and r.revision = s.revision
    ${isThere} and s.is_enabled = 1
    and (s.deps <> ${NO_DEPS} or s.status <> 'active' or r.manifest not like '{"dependencies":[],%')
    order by s.id`;
  return (await db.all(query, IdRow)).map(({ id }) => id);
}

const IdRow = z.object({ id: z.string() });

const current = sql`select s.uid, s.id, s.owner, s.visibility, s.is_system, s.is_enabled, s.status, s.reason, s.deps,
  s.revision, s.last_revision, s.tree_hash, s.override, s.created_at, s.updated_at, s.deleted_at,
  r.record, r.trust, r.version, r.skill_hash, r.created_at as released_at
  from skill s join revision r on r.skill = s.uid and r.revision = s.revision`;

const isThere = sql`where s.status <> 'deleted' and s.deleted_at is null`;

const CurrentColumns = SkillColumns.extend({
  record: z.string(),
  trust: Trust,
  version: z.string().nullable(),
  skill_hash: Digest,
  released_at: z.string(),
});
type CurrentColumns = z.infer<typeof CurrentColumns>;

/**
 * A start reads up to a hundred thousand rows, and validating each in full takes as long as reading it. The
 * engines enforce column types. The access columns have few values, so only a row with a new combination is
 * validated.
 */
function currentReader(): RowParser<CurrentSkill> {
  const mixes = new Map<string, CurrentColumns>();
  const owners = new Map<string, string>();
  return {
    parse(row) {
      // The query selects these columns, and the engines enforce their types.
      const columns = row as CurrentColumns;
      const { visibility, status, trust, is_system, is_enabled } = columns;
      const mix = `${visibility} ${status} ${trust} ${is_system} ${is_enabled}`;
      const known = mixes.get(mix) ?? CurrentColumns.parse(row);
      mixes.set(mix, known);
      const owner = owners.get(columns.owner) ?? columns.owner;
      owners.set(owner, owner);
      // A library keeps the rows of all skills, so equal texts are one string.
      Object.assign(columns, {
        owner,
        visibility: known.visibility,
        status: known.status,
        trust: known.trust,
      });
      return { skill: toSkill(columns), revision: toRelease(columns) };
    },
  };
}

/** Equal texts of a row are one string, because a library keeps the rows of all skills. */
function toRelease(row: CurrentColumns): CurrentSkill["revision"] {
  const record = shareParts(fromJson<CurrentSkill["revision"]["record"]>(row.record));
  return {
    record,
    trust: row.trust,
    version: row.version === record.version ? record.version : (row.version ?? undefined),
    skillHash: row.skill_hash === record.skillHash ? record.skillHash : row.skill_hash,
    createdAt: row.released_at === row.created_at ? row.created_at : row.released_at,
  };
}

type StoredRecord = CurrentSkill["revision"]["record"];

const NONE: readonly never[] = Object.freeze([]);
const EVERY_RUNTIME: readonly string[] = Object.freeze(["*"]);
const ANYONE: StoredRecord["invocation"] = Object.freeze({ model: true, user: true });
const NO_REQUIREMENTS: StoredRecord["requires"] = Object.freeze({
  env: NONE,
  bins: NONE,
  anyBins: NONE,
  config: NONE,
});

/** The record with one shared object for each part that is the same in most skills. */
function shareParts(record: StoredRecord): StoredRecord {
  const { diagnostics, tags, requiresSkills, os, runtime, invocation, requires } = record;
  const shared = <T>(list: readonly T[]) => (list.length === 0 ? NONE : list);
  return Object.assign(record, {
    diagnostics: shared(diagnostics),
    tags: shared(tags),
    requiresSkills: shared(requiresSkills),
    os: shared(os),
    runtime: runtime.length === 1 && runtime[0] === "*" ? EVERY_RUNTIME : runtime,
    invocation: invocation.model && invocation.user ? ANYONE : invocation,
    requires: isEmpty(requires) ? NO_REQUIREMENTS : requires,
  });
}

function isEmpty({ env, bins, anyBins, config, ...others }: StoredRecord["requires"]): boolean {
  const count = env.length + bins.length + anyBins.length + config.length;
  return count === 0 && Object.keys(others).length === 0;
}
