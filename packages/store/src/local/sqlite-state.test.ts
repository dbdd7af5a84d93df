import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { Clock } from "@skillhold/core/port";
import { approvalContract } from "@skillhold/core/test/approval/approval.contract";
import { approval, later } from "@skillhold/core/test/approval/approval.fixture";
import { ManualTimers } from "@skillhold/core/test/manual-timers.fixture";
import { secretContract } from "@skillhold/core/test/secret/secret.contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import { SqliteApprovals } from "./sqlite-approvals.ts";
import { SqliteSecrets } from "./sqlite-secrets.ts";
import { openStateDatabase } from "./sqlite-state.ts";

let root: string;
const opened: DatabaseSync[] = [];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skillhold-state-"));
});
afterEach(() => {
  for (const database of opened.splice(0)) database.close();
  rmSync(root, { recursive: true, force: true });
});

const key = randomBytes(32);
const clock: Clock = { now: () => later(0) };
const ports = { keys: { key: async () => key }, clock };
const scope = { skill: "pdf" };

async function open(path = join(root, "state.db")): Promise<DatabaseSync> {
  const database = await openStateDatabase(path);
  opened.push(database);
  return database;
}

approvalContract("SQLite", async () => new SqliteApprovals(await open()));
secretContract("SQLite", async (now) => new SqliteSecrets(await open(), { ...ports, clock: now }));

test("approvals and secrets persist in one file [S-28]", async () => {
  const first = await openStateDatabase(join(root, "state.db"));
  await new SqliteApprovals(first).add(approval("a"));
  await new SqliteSecrets(first, ports).set(scope, "KEY", "value");
  first.close();
  const second = await open();
  expect(await new SqliteApprovals(second).list(later(0))).toEqual([approval("a")]);
  expect(await new SqliteSecrets(second, ports).open(scope, ["KEY"])).toEqual(new Map([["KEY", "value"]]));
});

test("works in memory without a file [S-28]", async () => {
  const approvals = new SqliteApprovals(await open(":memory:"));
  await approvals.add(approval("a"));
  expect(await approvals.list(later(0))).toEqual([approval("a")]);
  expect(existsSync(":memory:")).toBe(false);
});

test("an approval revoked by another process is gone [S-28]", async () => {
  const [here, there] = [new SqliteApprovals(await open()), new SqliteApprovals(await open())];
  await here.add(approval("a"));
  expect(await there.remove(approval("a").id)).toBe(true);
  expect(await here.find(approval("a").key, later(0))).toBeUndefined();
});

test("the files and the folder are private [S-33]", async () => {
  const database = await open(join(root, "deep/state.db"));
  await new SqliteSecrets(database, ports).set(scope, "KEY", "value");
  const modes = readdirSync(join(root, "deep")).map((name) => [
    name,
    statSync(join(root, "deep", name)).mode & 0o777,
  ]);
  expect(modes).toEqual([
    ["state.db", 0o600],
    ["state.db-shm", 0o600],
    ["state.db-wal", 0o600],
  ]);
  expect(statSync(join(root, "deep")).mode & 0o777).toBe(0o700);
});

test("no file contains a secret value, before or after it is removed [S-33]", async () => {
  const value = "a-value-that-would-be-recognised";
  const secrets = new SqliteSecrets(await open(), ports);
  const files = () => Buffer.concat(readdirSync(root).map((name) => readFileSync(join(root, name))));
  await secrets.set(scope, "KEY", value);
  expect(files().includes("KEY")).toBe(true);
  expect(files().includes(value)).toBe(false);
  await secrets.remove(scope, "KEY");
  expect(files().includes(value)).toBe(false);
});

test("a value moved to another skill, agent or name cannot be decrypted [S-33]", async () => {
  const database = await open();
  const secrets = new SqliteSecrets(database, ports);
  const unreadable = { code: "SECRET_UNREADABLE" };
  for (const [column, moved] of [
    ["skill", "docx"],
    ["agent", "writer"],
    ["name", "OTHER"],
  ] as const) {
    await secrets.set(scope, "KEY", "value");
    database.exec(`update secret set ${column} = '${moved}'`);
    const target = { skill: "pdf", agent: "", name: "KEY", [column]: moved };
    const place = { skill: target.skill, ...(target.agent === "" ? {} : { agent: target.agent }) };
    await expect(secrets.open(place, [target.name])).rejects.toMatchObject(unreadable);
    database.exec("delete from secret");
  }
});

test("another key decrypts no value, and the agent's own value is not skipped [S-33]", async () => {
  const database = await open();
  const secrets = new SqliteSecrets(database, ports);
  const other = new SqliteSecrets(database, { ...ports, keys: { key: async () => randomBytes(32) } });
  await secrets.set(scope, "KEY", "for all");
  await other.set({ ...scope, agent: "writer" }, "KEY", "own");
  await expect(secrets.open({ ...scope, agent: "writer" }, ["KEY"])).rejects.toMatchObject({
    code: "SECRET_UNREADABLE",
  });
  expect(await secrets.open(scope, ["KEY"])).toEqual(new Map([["KEY", "for all"]]));
});

test("does not ask for a key without secrets to read [S-33]", async () => {
  const keys = { key: () => Promise.reject(new Error("There is no key.")) };
  const secrets = new SqliteSecrets(await open(), { ...ports, keys });
  expect(await secrets.open(scope, ["KEY"])).toEqual(new Map());
  expect(await secrets.list()).toEqual([]);
  await expect(secrets.set(scope, "KEY", "value")).rejects.toThrow("There is no key.");
});

test("rejects and keeps a file of a newer version [S-64]", async () => {
  const path = join(root, "state.db");
  const newer = new DatabaseSync(path);
  newer.exec("create table approval (something text); pragma user_version = 999");
  newer.close();
  chmodSync(path, 0o600);
  const before = readFileSync(path);
  await expect(openStateDatabase(path)).rejects.toMatchObject({
    code: "CONFIG_INVALID",
    details: { version: 999 },
  });
  expect(readFileSync(path).equals(before)).toBe(true);
});

test("rejects and keeps a damaged file with a hint [S-64]", async () => {
  const path = join(root, "state.db");
  const rubbish = "this is not a database, and long enough to be read as one. ".repeat(100);
  writeFileSync(path, rubbish, { mode: 0o600 });
  await expect(openStateDatabase(path)).rejects.toMatchObject({
    code: "IO_FAILED",
    message: `The state file ${path} is damaged.`,
    hint: expect.stringContaining("backup"),
  });
  expect(readFileSync(path, "utf8")).toBe(rubbish);
});

test("detects damage inside a file on open [S-64]", async () => {
  const path = join(root, "state.db");
  const first = await openStateDatabase(path);
  await new SqliteApprovals(first).add(approval("a"));
  first.close();
  const bytes = readFileSync(path);
  bytes.fill(0xff, 4096 + 8, 3 * 4096);
  writeFileSync(path, bytes);
  await expect(openStateDatabase(path)).rejects.toMatchObject({ code: "IO_FAILED" });
  expect(readFileSync(path).equals(bytes)).toBe(true);
});

test("rejects a link and a file that others can open [S-33]", async () => {
  const path = join(root, "state.db");
  (await openStateDatabase(path)).close();
  chmodSync(path, 0o644);
  await expect(openStateDatabase(path)).rejects.toMatchObject({
    code: "CONFIG_INVALID",
    hint: `Run \`chmod 600 ${path}\`.`,
  });
  chmodSync(path, 0o600);
  symlinkSync(path, join(root, "link.db"));
  await expect(openStateDatabase(join(root, "link.db"))).rejects.toMatchObject({ code: "CONFIG_INVALID" });
});

test("a database failure has a code and stores no data [S-28]", async () => {
  const database = await open();
  database.exec("pragma busy_timeout = 0");
  const approvals = new SqliteApprovals(database);
  const holder = await open();
  holder.exec("begin immediate");
  await expect(approvals.add(approval("a"))).rejects.toMatchObject({ code: "IO_FAILED" });
  holder.exec("rollback");
  expect(await approvals.list(later(0))).toEqual([]);
});

test("waits for a reader of a file without a write-ahead log [S-64]", async () => {
  const path = join(root, "state.db");
  const holder = new DatabaseSync(path);
  opened.push(holder);
  chmodSync(path, 0o600);
  holder.exec("create table other (x); begin; select * from other");
  const timers = new ManualTimers();
  const opening = openStateDatabase(path, timers);
  // Without the wait, the open fails here.
  await Promise.race([timers.set(), opening]);
  holder.exec("commit");
  timers.advance(1000);
  const database = await opening;
  opened.push(database);
  expect(database.prepare("pragma journal_mode").get()).toEqual({ journal_mode: "wal" });
});

test("concurrent processes that create the file keep all their entries [S-64]", async () => {
  const url = (name: string) => JSON.stringify(pathToFileURL(join(import.meta.dirname, name)).href);
  const script = `import { openStateDatabase } from ${url("sqlite-state.ts")};
    import { SqliteApprovals } from ${url("sqlite-approvals.ts")};
    const database = await openStateDatabase(process.argv[1]);
    const approvals = new SqliteApprovals(database);
    for (const approval of JSON.parse(process.argv[2])) await approvals.add(approval);
    database.close();`;
  const flags = [
    "--conditions=@skillhold/source",
    "--disable-warning=ExperimentalWarning",
    "--input-type=module",
  ];
  const lists = [0, 1, 2, 3].map((process) =>
    [0, 1, 2, 3, 4].map((index) => approval(`${process}-${index}`)),
  );
  const path = join(root, "state.db");
  await Promise.all(
    lists.map((list) =>
      promisify(execFile)(process.execPath, [...flags, "-e", script, path, JSON.stringify(list)]),
    ),
  );
  const kept = await new SqliteApprovals(await open()).list(later(0));
  expect(kept.map(({ id }) => id)).toEqual(lists.flat().map(({ id }) => id));
});
