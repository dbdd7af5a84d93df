import { createHash, randomUUID } from "node:crypto";
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import postgres from "postgres";

/** What a store does for a registry, done by its engine alone: the same rows and bytes, as durable, and no question asked. */
export interface Bare {
  /** Two files, a tree, a skill, its revision and an event, in one transaction. */
  publish(id: string, files: readonly Uint8Array[], record: string): Promise<void>;
  /** Every row that a list needs, as it comes. */
  list(): Promise<number>;
  find(id: string): Promise<unknown>;
  index(texts: Iterable<BareText>): Promise<void>;
  search(words: readonly string[]): Promise<number>;
  close(): Promise<void>;
}

export interface BareText {
  readonly id: string;
  readonly description: string;
  readonly body: string;
}

const current = `select s.*, r.record, r.trust, r.version, r.skill_hash, r.created_at as released_at
  from skill s join revision r on r.skill = s.uid and r.revision = s.revision where s.status <> 'deleted'`;

export function bareSqlite(file: string): Bare {
  const database = new DatabaseSync(file);
  database.exec("pragma journal_mode = wal; pragma synchronous = full");
  const inserts = rowTexts(() => "?").map((text) => database.prepare(text));
  const list = database.prepare(`${current} order by s.id`);
  const find = database.prepare(`${current} and s.id = ?`);
  const last = database.prepare("select seq from event order by seq desc limit 1");
  return {
    publish: async (id, files, record) => {
      for (const bytes of files) writeDurably(`${file}.d/bare`, bytes);
      database.exec("begin immediate");
      const seq = Number(last.get()?.["seq"] ?? 0) + 1;
      for (const [index, values] of rows(id, files, record, seq).entries()) inserts[index]?.run(...values);
      database.exec("commit");
    },
    list: async () => list.all().length,
    find: async (id) => find.get(id),
    index: async (texts) => {
      database.exec("create virtual table bare_text using fts5(id, description, body)");
      const insert = database.prepare("insert into bare_text values (?, ?, ?)");
      database.exec("begin");
      for (const { id, description, body } of texts) insert.run(id, description, body);
      database.exec("commit");
    },
    search: async (words) =>
      database
        .prepare(
          "select id, snippet(bare_text, 2, '', '', '', 16) from bare_text where bare_text match ? order by bm25(bare_text, 10, 5, 1) limit 5",
        )
        .all(words.join(" OR ")).length,
    close: async () => database.close(),
  };
}

export function barePostgres(url: string): Bare {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  const inserts = rowTexts((index) => `$${index + 1}`);
  return {
    publish: async (id, files, record) => {
      await sql.begin(async (tx) => {
        for (const bytes of files)
          await tx`insert into blob values (${digestOf(bytes)}, ${bytes.length}, ${0}, ${Buffer.from(bytes)})`;
        const [end] = await tx`select seq from event order by seq desc limit 1`;
        const seq = Number(end?.["seq"] ?? 0) + 1;
        for (const [index, values] of rows(id, files, record, seq).entries())
          await tx.unsafe(inserts[index] ?? "", [...values], { prepare: true });
      });
    },
    list: async () => (await sql.unsafe(`${current} order by s.id`, [], { prepare: true })).length,
    find: async (id) => await sql.unsafe(`${current} and s.id = $1`, [id], { prepare: true }),
    index: async (texts) => {
      await sql`create table bare_text (id text, body text, words tsvector)`;
      for (const batch of batches(texts, 500))
        await sql`insert into bare_text select r->>'id', r->>'body',
          setweight(to_tsvector('simple', r->>'description'), 'A') || to_tsvector('simple', r->>'body')
          from jsonb_array_elements(${sql.json(batch.map((text) => ({ ...text })))}) r`;
      await sql`create index on bare_text using gin (words)`;
      await sql`analyze bare_text`;
    },
    search: async (words) =>
      (
        await sql`select id, left(body, 200) from bare_text, to_tsquery('simple', ${words.join(" | ")}) query
          where words @@ query order by ts_rank(words, query) desc limit 5`
      ).length,
    close: () => sql.end(),
  };
}

type Value = string | number | null;

const columns = {
  tree: "hash, files",
  skill: `uid, id, owner, visibility, is_system, is_enabled, status, deps, revision, last_revision, tree_hash, override,
    created_at, updated_at`,
  revision: `skill, revision, tree_hash, skill_hash, trust, bytes, files, created_at, name, description, record, provenance,
    frontmatter, manifest`,
  event: "seq, at, type, skill, body, hash",
};

function rowTexts(place: (index: number) => string): readonly string[] {
  return Object.entries(columns).map(
    ([table, names]) =>
      `insert into ${table} (${names}) values (${names.split(",").map((_, index) => place(index))})`,
  );
}

/** In the order of the tables above. */
function rows(
  id: string,
  files: readonly Uint8Array[],
  record: string,
  seq: number,
): readonly (readonly Value[])[] {
  const uid = randomUUID();
  const digests = files.map(digestOf);
  const hash = digestOf(Buffer.from(digests.join("\n")));
  const at = new Date().toISOString();
  const bytes = files.reduce((sum, { length }) => sum + length, 0);
  return [
    [hash, JSON.stringify(digests)],
    [uid, id, "ada", "private", 0, 1, "active", "{}", 1, 1, hash, "{}", at, at],
    [uid, 1, hash, hash, "user", bytes, files.length, at, id, id, record, "{}", "{}", "{}"],
    [seq, at, "skill.published", id, record, hash],
  ];
}

function writeDurably(root: string, bytes: Uint8Array): void {
  const hex = digestOf(bytes).slice("sha256:".length);
  const target = join(root, hex.slice(0, 2), hex);
  mkdirSync(dirname(target), { recursive: true });
  synced(`${target}.new`, "w", (fd) => void writeSync(fd, bytes));
  renameSync(`${target}.new`, target);
  synced(dirname(target), "r", () => {});
}

function synced(path: string, flags: string, work: (fd: number) => void): void {
  const fd = openSync(path, flags);
  try {
    work(fd);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

export function* batches<Item>(items: Iterable<Item>, size: number): Generator<Item[]> {
  let batch: Item[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
