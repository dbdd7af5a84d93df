import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SqliteCache } from "./sqlite-cache.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skillhold-cache-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const bytes = (text: string) => new TextEncoder().encode(text);

test("saved entries are loaded by the next process [S-17]", () => {
  const path = join(root, "deep/cache.db");
  const first = new SqliteCache(path);
  first.save("a", bytes("one"));
  first.save("a", bytes("two"));
  first.close();
  const second = new SqliteCache(path);
  expect(second.load("a")).toEqual(bytes("two"));
  expect(second.load("b")).toBeUndefined();
  second.close();
});

test("recreates a damaged file [S-17]", () => {
  const path = join(root, "cache.db");
  writeFileSync(path, "this is not a database, and long enough to be read as one. ".repeat(100));
  const cache = new SqliteCache(path);
  cache.save("a", bytes("one"));
  expect(cache.load("a")).toEqual(bytes("one"));
  cache.close();
});

test("clears a file of another version [S-17]", () => {
  const path = join(root, "cache.db");
  const other = new DatabaseSync(path);
  other.exec("create table cache (something text); pragma user_version = 999");
  other.close();
  const cache = new SqliteCache(path);
  cache.save("a", bytes("one"));
  expect(cache.load("a")).toEqual(bytes("one"));
  cache.close();
});

test("works without a writable folder [S-17]", () => {
  writeFileSync(join(root, "file"), "");
  const cache = new SqliteCache(join(root, "file/cache.db"));
  cache.save("a", bytes("one"));
  expect(cache.load("a")).toBeUndefined();
  cache.close();
  mkdirSync(join(root, "folder"));
  expect(new SqliteCache(join(root, "folder")).load("a")).toBeUndefined();
});

test("does not wait long for a locked file [S-17]", () => {
  const path = join(root, "cache.db");
  new SqliteCache(path).close();
  const holder = new DatabaseSync(path);
  holder.exec("begin exclusive");
  const cache = new SqliteCache(path);
  cache.save("a", bytes("one"));
  expect(cache.load("a")).toBeUndefined();
  holder.exec("rollback");
  holder.close();
  cache.close();
});
