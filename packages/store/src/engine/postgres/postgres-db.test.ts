import { inspect } from "node:util";
import type { RegistryStore } from "@skillhold/registry/record";
import postgres from "postgres";
import { beforeEach, describe, expect, test } from "vitest";
import { freshDatabase } from "../../../../../tests/postgres-database.ts";
import { deleted, skill } from "../../table/registry.fixture.ts";
import { openRegistryStore, type RegistryStoreOptions } from "../../table/registry-store.ts";
import { type Sql, sql } from "../sql.ts";
import { openPostgres } from "./postgres-db.ts";

let url: string;
let admin: postgres.Sql;
const opened: RegistryStore[] = [];
beforeEach(async () => {
  url = await freshDatabase();
  admin = postgres(url, { max: 2, onnotice: () => {}, connection: { application_name: "admin" } });
  return async () => {
    for (const store of opened.splice(0)) await store.close();
    await admin.end();
  };
});

async function open(options: RegistryStoreOptions = {}): Promise<RegistryStore> {
  const store = await openRegistryStore(url, options);
  opened.push(store);
  return store;
}

/** Closes all connections to this database except our own, as a server restart does. */
async function dropConnections(): Promise<void> {
  await admin`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'skillhold'`;
}

const changed = (change: (to: URL) => void) => {
  const to = new URL(url);
  change(to);
  return to.href;
};
const secret = () => new URL(url).password;

test.each([
  ["a wrong password", "denied access", () => changed((to) => Object.assign(to, { password: "wr0ng-word" }))],
  ["an unknown database", "denied access", () => changed((to) => Object.assign(to, { pathname: "/none" }))],
  ["a closed port", "cannot be reached", () => changed((to) => Object.assign(to, { port: "1" }))],
  [
    "an unknown host",
    "cannot be reached",
    () => changed((to) => Object.assign(to, { hostname: "h.invalid" })),
  ],
])("%s is a store failure without the password in its message [S-64]", async (_, message, address) => {
  const failure = await openRegistryStore(address()).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: "STORE_FAILED", message: expect.stringContaining(message) });
  const told = inspect(failure, { depth: 9, showHidden: true });
  for (const word of [secret(), "wr0ng-word"]) expect(told).not.toContain(word);
});

test.each(["postgres://u:s3cret@host:port/d", "postgres://u:s3cret%zz@127.0.0.1/d"])(
  "reports an invalid address without its password [S-64]",
  async (address) => {
    const failure = await openRegistryStore(address).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "CONFIG_INVALID" });
    expect(inspect(failure, { depth: 9, showHidden: true })).not.toContain("s3cret");
  },
);

test("completes two transactions that deadlock [S-41]", async () => {
  const stores = [await open(), await open()];
  const met = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let runs = 0;
  const cross = (store: RegistryStore, mine: number) =>
    store.transaction(async (tx) => {
      runs += 1;
      await tx.lock(`name ${mine}`);
      met[mine]?.resolve();
      await met[1 - mine]?.promise;
      await tx.lock(`name ${1 - mine}`);
      return await tx.append(deleted("pdf", mine + 1));
    });
  const numbers = await Promise.all(stores.map(cross));
  expect([numbers.toSorted(), runs]).toEqual([[1, 2], 3]);
});

test("reports a lock that is held too long [S-41]", async () => {
  const [holder, waiter] = [await open(), await open({ busyMs: 1000 })];
  const held = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const holding = holder.transaction(async (tx) => {
    await tx.lock("skill:pdf");
    held.resolve();
    await release.promise;
  });
  await held.promise;
  const waiting = waiter.transaction((tx) => tx.lock("skill:pdf"));
  await expect(waiting).rejects.toMatchObject({
    code: "STORE_FAILED",
    message: expect.stringContaining("locked by other processes"),
  });
  await waiter.transaction((tx) => tx.lock("skill:docx"));
  release.resolve();
  await holding;
});

test("rolls back a transaction that ends before its statements [S-41]", async () => {
  const store = await open();
  let late: Promise<unknown> = Promise.resolve();
  const work = store.transaction(async (tx) => {
    await tx.putSkill(skill("pdf"));
    late = tx.putSkill(skill("docx")).catch(() => {});
  });
  await expect(work).rejects.toThrow("awaited");
  await late;
  expect(await store.listSkills()).toEqual([]);
});

test("a lost connection rolls back the transaction, throws and is replaced [S-64]", async () => {
  const store = await open();
  const work = store.transaction(async (tx) => {
    await tx.putSkill(skill("pdf"));
    await dropConnections();
    await tx.putSkill(skill("docx"));
  });
  await expect(work).rejects.toMatchObject({ code: "STORE_FAILED" });
  expect(await store.listSkills()).toEqual([]);
  await store.transaction((tx) => tx.putSkill(skill("pdf")));
  expect(await store.listSkills()).toHaveLength(1);
});

describe.each([false, true])("a transaction that awaits its last statement: %s", (isAwaited) => {
  test.each<[string, readonly Sql[]]>([
    ["rejected after the server described it", [sql`insert into time values (${"never"})`, nameOf("ben")]],
    [
      "rejected behind one that the server describes first",
      [sql`insert into name values (${"ben"}), (${"cem"})`, nameOf(undefined as unknown as string)],
    ],
    ["rejected behind one that runs", [nameOf("ben"), nameOf(undefined as unknown as string), nameOf("cem")]],
    [
      "that loses the connection",
      [sql`select pg_terminate_backend(pg_backend_pid()) where 1 = ${1}`, nameOf("ben"), nameOf("cem")],
    ],
    ["too long to send at once", [nameOf("x".repeat(1e6)), nameOf(undefined as unknown as string)]],
  ])("commits nothing with a statement %s [S-41]", async (_, statements) => {
    await admin.unsafe("create table name (value text); create table time (value timestamptz)");
    const db = await openPostgres(url, { busyMs: 30_000 });
    try {
      await db.transaction(async (tx) => tx.send(nameOf("ada")));
      const work = db.transaction(async (tx) => {
        await tx.run(nameOf("dan"));
        for (const statement of statements) tx.send(statement);
        if (isAwaited) await tx.run(nameOf("gus"));
      });
      await expect(work).rejects.toThrow();
      await db.transaction(async (tx) => tx.send(nameOf("eli")));
      expect(await admin`select value from name`).toMatchObject([{ value: "ada" }, { value: "eli" }]);
    } finally {
      await db.close();
    }
  });
});

test("never runs a statement outside its transaction after a lost connection [S-41]", async () => {
  const store = await open();
  const dropped = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const lost = store.transaction(async (tx) => {
    await tx.putSkill(skill("pdf"));
    await dropConnections();
    dropped.resolve();
    await goOn.promise;
    await tx.putSkill(skill("docx"));
  });
  await dropped.promise;
  await store.transaction((tx) => tx.putSkill(skill("xlsx")));
  goOn.resolve();
  await expect(lost).rejects.toMatchObject({ code: "STORE_FAILED" });
  expect((await store.listSkills()).map(({ id }) => id)).toEqual(["xlsx"]);
});

test("lost connections reject all waiting callers, and the store recovers [S-64]", async () => {
  const store = await open();
  const held = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const holding = store.transaction(async (tx) => {
    await tx.lock("skill:pdf");
    held.resolve();
    await goOn.promise;
    await tx.putSkill(skill("pdf"));
  });
  await held.promise;
  const waiting = Array.from({ length: 12 }, () => store.transaction((tx) => tx.lock("skill:pdf")));
  const results = Promise.allSettled([holding, ...waiting]);
  const countWaiting = async () =>
    (
      await admin`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    ).length;
  while ((await countWaiting()) === 0);
  await dropConnections();
  goOn.resolve();
  const failures = (await results).filter(({ status }) => status === "rejected");
  expect(failures.length).toBeGreaterThanOrEqual(2);
  for (const failure of failures) expect(failure).toMatchObject({ reason: { code: "STORE_FAILED" } });
  await store.transaction((tx) => tx.putSkill(skill("docx")));
  expect((await store.listSkills()).map(({ id }) => id)).toEqual(["docx"]);
});

test("replaces connections that were lost while idle without an error [S-64]", async () => {
  const store = await open();
  await Promise.all(Array.from({ length: 20 }, () => store.lastEvent()));
  await dropConnections();
  await store.transaction((tx) => tx.putSkill(skill("pdf")));
  await dropConnections();
  expect(await store.listSkills()).toHaveLength(1);
});

test("a listener is notified again after a lost connection [S-45]", async () => {
  const [store, other] = [await open(), await open()];
  let called = Promise.withResolvers<void>();
  const stop = await store.onCommit(() => called.resolve());
  const commit = () => other.transaction((tx) => tx.append(deleted("pdf")));
  await commit();
  await called.promise;
  called = Promise.withResolvers();
  await dropConnections();
  await commit();
  await called.promise;
  expect(await store.lastEvent()).toBeGreaterThanOrEqual(2);
  await stop();
});

test("notifies all listeners of every commit with changes, and only of those [S-45]", async () => {
  const [one, other] = [
    await openPostgres(url, { busyMs: 30_000 }),
    await openPostgres(url, { busyMs: 30_000 }),
  ];
  const calls: string[] = [];
  let called = Promise.withResolvers<void>();
  const stop = await one.listen(() => {
    calls.push("called");
    called.resolve();
  });
  await other.transaction((tx) => tx.lock("a"));
  await other.transaction((tx) => tx.script("create table one (a {int})"));
  await called.promise;
  called = Promise.withResolvers();
  await one.transaction((tx) => tx.script("create table two (a {int})"));
  await called.promise;
  expect(calls).toHaveLength(2);
  await stop();
  await Promise.all([one.close(), other.close()]);
});

function nameOf(name: string): Sql {
  return sql`insert into name values (${name})`;
}

test("calls wait for a connection in use where the server allows no more [S-64]", async () => {
  const role = `limited_${new URL(url).pathname.slice(1)}`;
  await admin.unsafe(`create role ${role} login password 'limited' connection limit 3`);
  await admin.unsafe(`grant all on schema public to ${role}`);
  const limited = changed((to) => Object.assign(to, { username: role, password: "limited" }));
  const store = await openRegistryStore(limited);
  try {
    const event = { type: "session.closed", at: "2026-01-01T00:00:00.000Z", session: "s" } as const;
    const calls = Array.from({ length: 60 }, () => store.transaction((tx) => tx.append(event)));
    await Promise.all(calls);
    expect(await store.lastEvent()).toBe(60);
  } finally {
    await store.close();
    await admin.unsafe(`drop owned by ${role}`);
    await admin.unsafe(`drop role ${role}`);
  }
});
