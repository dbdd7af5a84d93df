import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runJson, runMain, skillText, writeFile } from "../../packages/cli/src/fake-host.ts";
import { removeStores } from "../../packages/cli/src/registry.fixture.ts";
import { freshDatabase } from "../postgres-database.ts";

let base: string;
let env: Readonly<Record<string, string | undefined>>;
beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), "skillhold-cli-postgres-"));
  env = {
    XDG_DATA_HOME: join(base, "data"),
    SKILLHOLD_USER: "ann",
    SKILLHOLD_STORE: await freshDatabase(),
    PATH: process.env["PATH"],
  };
});
afterEach(() => removeStores(base));

const text = (...argv: readonly string[]) => runMain(argv, base, { env });
const json = (...argv: readonly string[]) => runJson(argv, base, { env });

function write(body: string): void {
  writeFile(base, "pdf/SKILL.md", skillText("pdf", "Reads PDF files.", body));
}

test("every command of the registry works on PostgreSQL as it does on SQLite [S-64] [S-60]", async () => {
  write("One.\n");
  expect((await text("publish", "pdf", "--dry-run")).out).toMatch(/^pdf revision 1: would be published/);
  expect((await json("list")).data.skills).toEqual([]);
  expect((await text("publish", "pdf")).out).toMatch(/^pdf revision 1: published, new and private/);
  write("Two.\n");
  expect((await text("publish", "pdf")).out).toMatch(/^pdf revision 2: published/);
  expect((await text("diff", "pdf")).out).toContain("-One.\n+Two.\n");
  expect((await text("rollback", "pdf", "1", "--dry-run")).out).toBe(
    "pdf: revision 1 would count in place of 2\n",
  );
  expect((await text("read", "--raw", "pdf")).out).toBe("Two.\n");
  expect((await text("rollback", "pdf", "1")).code).toBe(0);
  expect((await text("read", "--raw", "pdf")).out).toBe("One.\n");
  expect((await json("search", "read pdf")).data.hits).toMatchObject([{ id: "pdf" }]);
  expect((await text("edit", "pdf", "--visibility", "public")).out).toBe("pdf: edited, public\n");
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

test("doctor says where the store is, and never with its password [S-60] [S-64]", async () => {
  write("One.\n");
  await text("publish", "pdf");
  const { out } = await text("doctor");
  expect(out).toMatch(/\nok {3}store: 1 skill in postgres:\/\//);
  const { password } = new URL(env["SKILLHOLD_STORE"] ?? "");
  expect(password).not.toBe("");
  expect(out).not.toContain(password);
});
