import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { runJson, runMain, skillText, writeFile } from "@skillhold/cli/test/fake-host";
import { copiesFolder } from "@skillhold/host/place";
import { migrations } from "@skillhold/store/test/table/migration-table";
import { listTables } from "@skillhold/store/test/table/table-schema";
import postgres from "postgres";
import { beforeEach, expect, test } from "vitest";
import { freshDatabase } from "../postgres-database.ts";
import { type PostgresScene, postgresScene } from "./postgres-scene.ts";

let base: string;
let env: PostgresScene["env"];
const scene = postgresScene();
beforeEach(() => {
  ({ base, env } = scene());
});

const text = (...argv: readonly string[]) => runMain(argv, base, { env });
const json = (...argv: readonly string[]) => runJson(argv, base, { env });

function write(body: string): void {
  writeFile(base, "pdf/SKILL.md", skillText("pdf", "Reads PDF files.", body));
}

test("every registry command works on PostgreSQL as on SQLite [S-64] [S-60]", async () => {
  write("One.\n");
  expect((await text("publish", "pdf", "--dry-run")).out).toMatch(/^pdf revision 1: would be published/);
  expect((await json("list")).data.skills).toEqual([]);
  expect((await text("publish", "pdf")).out).toMatch(/^pdf revision 1: published, new and private/);
  write("Two.\n");
  expect((await text("publish", "pdf")).out).toMatch(/^pdf revision 2: published/);
  expect((await text("diff", "pdf")).out).toContain("-One.\n+Two.\n");
  expect((await text("rollback", "pdf", "1", "--dry-run")).out).toBe(
    "pdf: revision 1 would be current, in place of 2\n",
  );
  expect((await text("read", "--raw", "pdf")).out).toBe("Two.\n");
  expect((await text("rollback", "pdf", "1")).code).toBe(0);
  expect((await text("read", "--raw", "pdf")).out).toBe("One.\n");
  expect((await json("search", "read pdf")).data.hits).toMatchObject([{ id: "pdf" }]);
  expect((await text("edit", "pdf", "--visibility", "public", "--role", "admin")).out).toBe(
    "pdf: edited, public\n",
  );
  expect((await text("export", "pdf", "--out", "pdf.zip")).code).toBe(0);
  expect((await text("import", "pdf.zip", "--store", "sqlite:copy.db")).out).toMatch(/^pdf revision 1: /);
  expect((await text("delete", "pdf")).code).toBe(0);
  expect((await json("read", "pdf")).code).toBe(5);
  expect((await text("restore", "pdf")).out).toBe("pdf: restored, active and public\n");
  expect((await json("purge", "--keep", "1", "--grace-days", "0")).data.purged).toEqual([]);
  expect((await json("versions", "pdf")).data.versions).toHaveLength(2);
  expect((await text("seed", "nowhere")).code).toBe(5);
  expect(await json("fsck")).toMatchObject({ code: 0, data: { isClean: true, checked: { revisions: 2 } } });
  expect(existsSync(join(base, "data/skillhold/registry.db"))).toBe(false);
});

test("read-only commands and dry runs create no tables [S-64]", async () => {
  const url = env["SKILLHOLD_STORE"] ?? "";
  write("One.\n");
  expect((await json("list")).data.skills).toEqual([]);
  expect((await text("publish", "pdf", "--dry-run")).out).toMatch(/^pdf revision 1: would be published/);
  const none = {
    code: 1,
    error: { code: "STORE_FAILED", message: expect.stringContaining("does not exist yet") },
  };
  expect(await json("list", "--source", "registry")).toMatchObject(none);
  expect(await json("list", "--store", url)).toMatchObject(none);
  for (const verb of [["versions", "pdf"], ["delete", "pdf"], ["fsck"]])
    expect(await json(...verb)).toMatchObject(none);
  const admin = postgres(url, { max: 1, onnotice: () => {} });
  try {
    expect(await admin`select tablename from pg_tables where schemaname = 'public'`).toHaveLength(0);
  } finally {
    await admin.end();
  }
});

test("only commands that write upgrade an older database [S-64]", async () => {
  write("One.\n");
  await text("publish", "pdf");
  const admin = postgres(env["SKILLHOLD_STORE"] ?? "", { max: 1, onnotice: () => {} });
  try {
    await admin`delete from migration where id > 1`;
    const first = new Set(["migration", ...listTables(migrations.slice(0, 1)).map(({ name }) => name)]);
    for (const { name } of listTables()) if (!first.has(name)) await admin`drop table ${admin(name)} cascade`;
    await admin`drop index event_audit_key, event_type, event_at, event_skill_type, skill_owner`;
    await admin`delete from event`;
    // The new head is another log than the one that this machine remembers.
    for (const name of readdirSync(join(base, "data/skillhold")))
      if (name.startsWith("audit-seen")) rmSync(join(base, "data/skillhold", name));
    await admin`alter table event drop column session, drop column agent, drop column person`;
    const older = { code: 2, error: { code: "CONFIG_INVALID", hint: expect.stringContaining("publish") } };
    expect(await json("list")).toMatchObject(older);
    expect(await json("delete", "pdf", "--dry-run")).toMatchObject(older);
    expect(await admin`select id from migration`).toHaveLength(1);
    expect((await text("edit", "pdf", "--visibility", "public", "--role", "admin")).code).toBe(0);
    expect((await json("list")).data.skills).toHaveLength(1);
  } finally {
    await admin.end();
  }
});

test("copies are private and separate for each database [S-41] [S-64]", async () => {
  write("One.\n");
  await text("publish", "pdf");
  const { path } = (await json("show", "pdf")).data.entry;
  expect(readFileSync(join(path, "SKILL.md"), "utf8")).toContain("One.");
  const revisions = join(base, "data/skillhold/revisions");
  for (const folder of [join(base, "data/skillhold"), revisions])
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  const there = env["SKILLHOLD_STORE"];
  env = { ...env, SKILLHOLD_STORE: await freshDatabase() };
  write("Two.\n");
  await text("publish", "pdf");
  await json("show", "pdf");
  expect(readdirSync(revisions)).toHaveLength(2);
  expect(await json("fsck", "--repair")).toMatchObject({ code: 0, data: { findings: [] } });
  expect(existsSync(path)).toBe(true);
  const { password } = new URL(there ?? "");
  const asOther = there?.replace(`:${password}@`, "@") ?? "";
  expect(copiesFolder(asOther, env)).toBe(copiesFolder(there ?? "", env));
});

test("doctor shows the address of the store without its password [S-60] [S-64]", async () => {
  write("One.\n");
  await text("publish", "pdf");
  const { out } = await text("doctor");
  expect(out).toMatch(/\nok {3}store: 1 skill in postgres:\/\//);
  const { password } = new URL(env["SKILLHOLD_STORE"] ?? "");
  expect(password).not.toBe("");
  expect(out).not.toContain(password);
});
