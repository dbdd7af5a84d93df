import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, expect, test } from "vitest";
import { isEmptyRegistry } from "../index.ts";
import { at, deleted, skill } from "./registry.fixture.ts";
import { openRegistryStore } from "./registry-store.ts";

let root: string;
let path: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skillhold-empty-"));
  path = join(root, "registry.db");
  return () => rmSync(root, { recursive: true, force: true });
});

type Work = Parameters<Awaited<ReturnType<typeof openRegistryStore>>["transaction"]>[0];

async function change(work: Work): Promise<void> {
  const store = await openRegistryStore(`sqlite:${path}`);
  await store.transaction(work);
  await store.close();
}

function edit(script: string): void {
  const raw = new DatabaseSync(path);
  raw.exec(script);
  raw.close();
}

test("a registry with events only is empty, and its file stays as it is [S-16] [S-64]", async () => {
  await change((tx) => tx.append(deleted("pdf")));
  const before = readFileSync(path);
  expect(await isEmptyRegistry(path)).toBe(true);
  expect(readFileSync(path).equals(before)).toBe(true);
  expect(readdirSync(root)).toEqual(["registry.db", "registry.db.d"]);
});

test("sees changes that are only in the write-ahead log [S-64]", async () => {
  const store = await openRegistryStore(`sqlite:${path}`);
  expect(await isEmptyRegistry(path)).toBe(true);
  await store.transaction((tx) => tx.putSkill(skill("pdf")));
  expect(await isEmptyRegistry(path)).toBe(false);
  await store.close();
});

test("a registry with a skill or a toggle is not empty [S-16] [S-64]", async () => {
  await change((tx) => tx.putToggle({ id: "pdf", isEnabled: false, by: "ann", at }));
  expect(await isEmptyRegistry(path)).toBe(false);
  edit("delete from folder_toggle");
  expect(await isEmptyRegistry(path)).toBe(true);
  await change((tx) => tx.putSkill(skill("pdf")));
  expect(await isEmptyRegistry(path)).toBe(false);
});

test.each([
  ["an older registry", "delete from migration where id = (select max(id) from migration)"],
  ["a newer registry", "insert into migration values (1000, 'later', 'x', 'x')"],
  ["an unknown step", "update migration set checksum = 'x' where id = 3"],
  ["a table of another program", "drop table migration; create table migration (name text)"],
])("%s is left to the one who opens it [S-64]", async (_, script) => {
  await change((tx) => tx.append(deleted("pdf")));
  edit(script);
  expect(await isEmptyRegistry(path)).toBe(false);
});

test("a missing, shared or damaged file is left to the one who opens it [S-64]", async () => {
  expect(await isEmptyRegistry(path)).toBe(false);
  expect(existsSync(path)).toBe(false);
  await change((tx) => tx.append(deleted("pdf")));
  chmodSync(path, 0o644);
  expect(await isEmptyRegistry(path)).toBe(false);
  chmodSync(path, 0o600);
  expect(await isEmptyRegistry(path)).toBe(true);
  writeFileSync(path, "this is not a database. ".repeat(500));
  expect(await isEmptyRegistry(path)).toBe(false);
});
