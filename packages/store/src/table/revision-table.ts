import { Digest, Trust } from "@skillhold/protocol";
import type { Revision, RevisionPage } from "@skillhold/registry/record";
import { z } from "zod";
import type { Queries, Tx } from "../engine/db.ts";
import { fromJson } from "../engine/json-column.ts";
import { isStorable, joinSql, pageLimit, sql, toStorable } from "../engine/sql.ts";

const columns = sql`skill, revision, tree_hash, skill_hash, version, name, description, record, frontmatter,
  manifest, trust, provenance, bytes, files, created_at, purged_at`;

const RevisionRow = z
  .object({
    skill: z.string(),
    revision: z.int(),
    tree_hash: Digest,
    skill_hash: Digest,
    version: z.string().nullable(),
    record: z.string(),
    frontmatter: z.string(),
    manifest: z.string(),
    trust: Trust,
    provenance: z.string(),
    bytes: z.int(),
    files: z.int(),
    created_at: z.string(),
    purged_at: z.string().nullable(),
  })
  .transform(
    (row): Revision => ({
      skill: row.skill,
      revision: row.revision,
      treeHash: row.tree_hash,
      skillHash: row.skill_hash,
      version: row.version ?? undefined,
      record: fromJson<Revision["record"]>(row.record),
      frontmatter: fromJson<Revision["frontmatter"]>(row.frontmatter),
      manifest: fromJson<Revision["manifest"]>(row.manifest),
      trust: row.trust,
      provenance: fromJson<Revision["provenance"]>(row.provenance),
      bytes: row.bytes,
      files: row.files,
      createdAt: row.created_at,
      purgedAt: row.purged_at ?? undefined,
    }),
  );

export async function selectRevision(
  db: Queries,
  uid: string,
  revision: number,
): Promise<Revision | undefined> {
  if (!isStorable(uid) || !Number.isSafeInteger(revision)) return undefined;
  const query = sql`select ${columns} from revision where skill = ${uid} and revision = ${revision}`;
  return (await db.all(query, RevisionRow))[0];
}

/** The uid of a skill and the number of a revision. */
export type RevisionKey = `${string} ${number}`;

export function selectRevisionOf(db: Queries, key: RevisionKey): Promise<Revision | undefined> {
  return selectRevision(db, ...partsOf(key));
}

export async function selectRevisionsOf(
  db: Queries,
  keys: readonly RevisionKey[],
): Promise<ReadonlyMap<RevisionKey, Revision>> {
  const wanted = new Set<string>(keys);
  const parts = keys.map(partsOf);
  const uids = new Set(parts.map(([uid]) => uid));
  const numbers = new Set(parts.map(([, number]) => number));
  const query = sql`select ${columns} from revision
    where skill in (${joinSql([...uids])}) and revision in (${joinSql([...numbers])})`;
  const found = await db.all(query, RevisionRow);
  return new Map(
    found.map((each) => [`${each.skill} ${each.revision}`, each] as const).filter(([key]) => wanted.has(key)),
  );
}

function partsOf(key: RevisionKey): readonly [uid: string, revision: number] {
  const at = key.lastIndexOf(" ");
  return [key.slice(0, at), Number(key.slice(at + 1))];
}

/** Newest first; all, or one page. */
export async function selectRevisions(
  db: Queries,
  uid: string,
  page?: RevisionPage,
): Promise<readonly Revision[]> {
  if (!isStorable(uid)) return [];
  const rest = page?.before === undefined ? sql`` : sql` and revision < ${page.before}`;
  const limit = page === undefined ? sql`` : sql` limit ${pageLimit(page.limit)}`;
  const query = sql`select ${columns} from revision where skill = ${uid}${rest} order by revision desc${limit}`;
  return await db.all(query, RevisionRow);
}

/**
 * The name and description columns are copies for people who query the table; this program reads the record.
 */
export async function insertRevision(tx: Tx, revision: Revision): Promise<void> {
  const values = [
    revision.skill,
    revision.revision,
    revision.treeHash,
    revision.skillHash,
    revision.version ?? null,
    toStorable(revision.record.name),
    toStorable(revision.record.description),
    JSON.stringify(revision.record),
    JSON.stringify(revision.frontmatter),
    JSON.stringify(revision.manifest),
    revision.trust,
    JSON.stringify(revision.provenance),
    revision.bytes,
    revision.files,
    revision.createdAt,
    revision.purgedAt ?? null,
  ];
  await tx.run(sql`insert into revision (${columns}) values (${joinSql(values)})`);
}

/** Marks the bytes of a revision as purged and keeps the first time. */
export async function markPurged(tx: Tx, uid: string, revision: number, at: string): Promise<void> {
  await tx.run(sql`update revision set purged_at = ${at}
    where skill = ${uid} and revision = ${revision} and purged_at is null`);
}
