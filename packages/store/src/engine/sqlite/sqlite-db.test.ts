import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { ManualTimers } from "@skillhold/core/test/manual-timers.fixture";
import type { RegistryStore } from "@skillhold/registry/record";
import { beforeEach, expect, test } from "vitest";
import { asNobody } from "../../local/as-nobody.fixture.ts";
import { deleted, digest, revision, skill } from "../../table/registry.fixture.ts";
import { openRegistryStore, type RegistryStoreOptions } from "../../table/registry-store.ts";
import { isNoRegistry } from "../no-registry.ts";

let root: string;
let path: string;
const opened: RegistryStore[] = [];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skillhold-sqlite-"));
  path = join(root, "deep/registry.db");
  return async () => {
    for (const store of opened.splice(0)) await store.close();
    rmSync(root, { recursive: true, force: true });
  };
});

async function open(options: RegistryStoreOptions = {}): Promise<RegistryStore> {
  const store = await openRegistryStore(`sqlite:${path}`, options);
  opened.push(store);
  return store;
}

/** Another program with the file open. */
function openRaw(): DatabaseSync {
  return new DatabaseSync(path);
}

test("the file, its companions and its folders are private [S-64]", async () => {
  const store = await open();
  await store.transaction((tx) => tx.putSkill(skill("pdf")));
  const modes = readdirSync(dirname(path)).map((name) => [
    name,
    statSync(join(dirname(path), name)).mode & 0o777,
  ]);
  expect(modes).toEqual([
    ["registry.db", 0o600],
    ["registry.db-shm", 0o600],
    ["registry.db-wal", 0o600],
    ["registry.db.d", 0o700],
  ]);
  chmodSync(path, 0o644);
  await expect(open()).rejects.toMatchObject({ code: "CONFIG_INVALID" });
});

test("creates a missing file, or throws if that is not allowed [S-64]", async () => {
  await expect(open({ create: false })).rejects.toMatchObject({
    code: "STORE_FAILED",
    hint: expect.stringContaining("Publish"),
  });
  expect(existsSync(dirname(path))).toBe(false);
  await open();
  expect((await open({ create: false })).engine).toBe("sqlite");
});

test("an empty file is not a registry and is not changed without permission to create one [S-64]", async () => {
  mkdirSync(dirname(path));
  writeFileSync(path, "", { mode: 0o600 });
  await expect(open({ create: false })).rejects.toSatisfy(isNoRegistry);
  expect([readdirSync(dirname(path)), statSync(path).size]).toEqual([["registry.db"], 0]);
});

/** A read-only registry with a skill and a blob. */
async function makeReadOnly(): Promise<void> {
  const store = await open();
  await store.transaction((tx) => tx.putSkill(skill("pdf")));
  await store.blobs.put([{ digest: digest("a"), bytes: Buffer.from("a") }]);
  await store.close();
  chmodSync(path, 0o400);
  chmodSync(dirname(path), 0o500);
}

test("a read-only registry can be read and reports writes as errors [S-64]", async () => {
  await makeReadOnly();
  await asNobody(root, async () => {
    const store = await open({ create: false });
    expect(await store.findSkill("pdf")).toEqual(skill("pdf"));
    expect(Buffer.from(await store.blobs.get(digest("a"))).toString()).toBe("a");
    const unwritten = { code: "STORE_FAILED", hint: expect.stringContaining("read-only") };
    await expect(store.transaction((tx) => tx.putSkill(skill("docx")))).rejects.toMatchObject(unwritten);
    expect(await store.listSkills()).toHaveLength(1);
    await expect(open()).rejects.toMatchObject({ code: "IO_FAILED" });
  });
  chmodSync(dirname(path), 0o700);
});

test("does not read a read-only registry without its write-ahead log [S-64]", async () => {
  await makeReadOnly();
  writeFileSync(`${path}-wal`, "what was written last", { mode: 0o400 });
  await asNobody(root, async () => {
    await expect(open({ create: false })).rejects.toMatchObject({
      code: "STORE_FAILED",
      hint: expect.stringContaining("read-only"),
    });
  });
  chmodSync(dirname(path), 0o700);
});

test.each(["sqlite:", "sqlite::memory:", "sqlite:a\0b", "mysql://u:secret@h/d", "registry.db"])(
  "rejects the store address %j without repeating it [S-64]",
  async (url) => {
    const failure = await openRegistryStore(url).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "CONFIG_INVALID" });
    expect(JSON.stringify([failure, String(failure)])).not.toContain("secret");
  },
);

test("rejects and keeps a file that is not a registry [S-64]", async () => {
  const rubbish = "this is not a database, and long enough to be read as one. ".repeat(100);
  await (await open()).close();
  for (const name of readdirSync(dirname(path))) rmSync(join(dirname(path), name), { recursive: true });
  writeFileSync(path, rubbish, { mode: 0o600 });
  await expect(open()).rejects.toMatchObject({
    code: "INTEGRITY_FAILED",
    hint: expect.stringContaining("backup"),
  });
  expect(readFileSync(path, "utf8")).toBe(rubbish);
  rmSync(path);
  const raw = openRaw();
  raw.exec("create table other (name text)");
  raw.close();
  chmodSync(path, 0o600);
  const before = readFileSync(path);
  await expect(open()).rejects.toMatchObject({ code: "CONFIG_INVALID" });
  expect(readFileSync(path).equals(before)).toBe(true);
});

test("reports damage inside the file when it is read [S-64]", async () => {
  const store = await open();
  for (let count = 0; count < 50; count += 1) {
    await store.transaction(async (tx) => {
      await tx.putSkill(skill(`s-${count}`));
      await tx.insertRevision(revision(`s-${count}`));
    });
  }
  await store.close();
  const bytes = readFileSync(path);
  // All pages except the first, which contains the schema and is read on open.
  writeFileSync(path, Buffer.concat([bytes.subarray(0, 4096), bytes.subarray(4096).fill(0xa5)]));
  const use = async () => await (await open()).listCurrent();
  await expect(use()).rejects.toMatchObject({ code: "INTEGRITY_FAILED" });
});

test("rejects rows that were changed by hand [S-64]", async () => {
  const store = await open();
  await store.transaction(async (tx) => {
    await tx.putSkill(skill("pdf"));
    await tx.insertRevision(revision("pdf"));
    await tx.append(deleted("pdf"));
  });
  const damaged = { code: "INTEGRITY_FAILED" };
  const raw = openRaw();
  raw.exec("update skill set visibility = 'everyone'");
  await expect(store.findSkill("pdf")).rejects.toMatchObject(damaged);
  await expect(store.listCurrent()).rejects.toMatchObject(damaged);
  raw.exec("update skill set visibility = 'public'; update revision set record = '{'");
  await expect(store.findRevision("uid-pdf", 1)).rejects.toMatchObject(damaged);
  raw.exec(`update event set body = '{"type":"skill.invented"}'`);
  await expect(store.eventsAfter(0, 10)).rejects.toMatchObject(damaged);
  raw.close();
});

test("finds events that were changed, moved or deleted [S-62]", async () => {
  const store = await open();
  for (let count = 1; count <= 8; count += 1) {
    await store.transaction((tx) => tx.append(deleted("pdf", count)));
  }
  const raw = openRaw();
  raw.exec("update event set body = replace(body, '\"ann\"', '\"eve\"') where seq = 2");
  expect(await store.listBrokenEvents()).toEqual([2]);
  raw.exec("delete from event where seq in (4, 5)");
  expect(await store.listBrokenEvents()).toEqual([2, 4, 5]);
  raw.exec("update event set seq = 100000000000 where seq = 8");
  expect(await store.listBrokenEvents()).toHaveLength(1000);
  raw.close();
});

test("writers wait for another process without blocking the event loop [S-64]", async () => {
  const timers = new ManualTimers();
  const store = await open({ timers });
  const raw = openRaw();
  raw.exec("begin immediate");
  let isWritten = false;
  const writing = store
    .transaction((tx) => tx.putSkill(skill("pdf")))
    .then(() => {
      isWritten = true;
    });
  // Each attempt ends before the next one is due.
  for (let attempts = 0; attempts < 3; attempts += 1) {
    await timers.set();
    timers.advance(1000);
  }
  await timers.set();
  expect([isWritten, await store.listSkills()]).toEqual([false, []]);
  raw.exec("commit");
  raw.close();
  timers.advance(1000);
  await writing;
  expect(await store.findSkill("pdf")).toBeDefined();
});

test("reports a lock timeout, and the next attempt may succeed [S-64]", async () => {
  const timers = new ManualTimers();
  const store = await open({ busyMs: 5000, timers });
  const raw = openRaw();
  raw.exec("begin immediate");
  const put = () => store.transaction((tx) => tx.putSkill(skill("pdf")));
  const rejected = put();
  rejected.catch(() => {});
  await timers.set();
  timers.advance(5000);
  await expect(rejected).rejects.toMatchObject({
    code: "STORE_FAILED",
    message: expect.stringContaining("locked by other processes"),
  });
  raw.exec("rollback");
  raw.close();
  await put();
  expect(await store.findSkill("pdf")).toBeDefined();
});

test("keeps the embedding while the text is the same [S-61]", async () => {
  const store = await open();
  const raw = openRaw();
  const embedded = () => raw.prepare("select embedding_model as model, embedding from skill").get();
  const put = (fields: Parameters<typeof skill>[1]) =>
    store.transaction((tx) => tx.putSkill(skill("pdf", fields)));
  const embed = () => raw.exec("update skill set embedding = x'00', embedding_model = 'm'");
  await put({});
  embed();
  await put({ owner: "bob" });
  expect(embedded()).toEqual({ model: "m", embedding: new Uint8Array(1) });
  await put({ override: { name: "other" } });
  expect(embedded()).toEqual({ model: null, embedding: null });
  embed();
  await put({ override: { name: "other" }, revision: 2 });
  expect(embedded()).toEqual({ model: null, embedding: null });
  raw.close();
});

test("does not load the PostgreSQL driver for a file [S-64]", async () => {
  const module = JSON.stringify(
    pathToFileURL(join(import.meta.dirname, "../../table/registry-store.ts")).href,
  );
  const script = `import { registerHooks } from "node:module";
    const seen = [];
    registerHooks({ resolve: (name, context, next) => (seen.push(name), next(name, context)) });
    const { openRegistryStore } = await import(${module});
    await (await openRegistryStore(process.argv[1])).close();
    process.exit(seen.includes("postgres") ? 3 : seen.some((name) => name.endsWith("/node-sqlite.ts")) ? 0 : 4);`;
  const flags = ["--conditions=@skillhold/source", "--input-type=module", "-e", script, `sqlite:${path}`];
  const child = spawn(process.execPath, flags, { stdio: "inherit" });
  expect(await once(child, "close")).toEqual([0, null]);
});
