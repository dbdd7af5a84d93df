import { hash } from "node:crypto";
import { openSession } from "@skillhold/core/session";
import { addAgent, grantSkill } from "@skillhold/registry/access";
import { issueToken } from "@skillhold/registry/token";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { answerOf, ask, problemOf, type TestGateway } from "./gateway.fixture.ts";
import { ada, asker, engines, openOn, put } from "./skill.fixture.ts";

/** Each paged list with the name of its rows and their key. */
const lists = [
  ["/v1/skills/s1/versions", "versions", "revision"],
  ["/v1/skills/s1/grants", "grants", "grantee"],
  ["/v1/tokens", "tokens", "id"],
  ["/v1/agents", "agents", "key"],
  ["/v1/users", "users", "name"],
  ["/v1/explain", "explanations", "id"],
  ["/v1/metrics", "skills", "skill"],
] as const;

type Row = Readonly<Record<string, unknown>>;
type Ask = ReturnType<typeof asker>;
interface Change {
  readonly name: string;
  readonly isGiven: boolean;
}

async function readPage(who: Ask, path: string, name: string, query: string) {
  const response = await who("GET", `${path}?${query}`);
  expect([path, query, response.status]).toEqual([path, query, 200]);
  // The route table defines each response as an object with this array.
  const answer = (await response.json()) as Row;
  const rows = answer[name] as readonly Row[];
  return { rows, nextCursor: answer["nextCursor"] as string | undefined };
}

async function readAll(who: Ask, path: string, name: string, limit: number, between = async () => {}) {
  const pages: (readonly Row[])[] = [];
  for (let cursor = ""; ; ) {
    const { rows, nextCursor } = await readPage(who, path, name, `limit=${limit}${cursor}`);
    pages.push(rows);
    if (nextCursor === undefined) return pages;
    cursor = `&cursor=${nextCursor}`;
    await between();
  }
}

describe.each(engines)("lists in pages, on %s", (engine) => {
  let gateway: TestGateway;
  let admin: Ask;
  beforeAll(async () => {
    gateway = await openOn(engine);
    const { registry, context } = gateway;
    admin = asker(gateway, await gateway.asRole("admin", "root"));
    for (let number = 1; number <= 5; number += 1) {
      await put(gateway, "s1", { body: `Text ${number}.` });
      if (number > 1) await put(gateway, `s${number}`);
      await addAgent({ key: `agent-${number}`, runtime: "test" }, { by: ada }, registry);
      const key = `agent-${number}`;
      await grantSkill("s1", { kind: "agent", key }, { by: ada }, registry);
      await grantSkill("s1", { kind: "user", key: `user-${number}` }, { by: ada }, registry);
      const token = { name: `t${number}`, role: "viewer" } as const;
      await issueToken(token, { by: { user: "root", role: "admin" } }, registry);
      const ports = { clock: registry.clock, ids: registry.ids, audit: context.audit };
      const session = await openSession(context.library, { runtime: "skillhold", user: "ada" }, ports);
      await session.activate(`s${number}`);
      await session.close();
    }
    const last = await registry.store.lastEvent();
    await vi.waitFor(async () => {
      const { upTo } = await answerOf("listMetrics", await admin("GET", "/v1/metrics"));
      expect(upTo).toBe(last);
    }, 120_000);
  });
  afterAll(() => gateway.close());

  test.each(lists)("%s has the same rows for every page size [S-53]", async (path, name, key) => {
    const { rows: whole, nextCursor } = await readPage(admin, path, name, "limit=1000");
    expect(nextCursor).toBeUndefined();
    expect(new Set(whole.map((row) => JSON.stringify(row[key]))).size).toBe(whole.length);
    expect(whole.length).toBeGreaterThanOrEqual(5);
    for (const limit of [1, 2, whole.length - 1, whole.length]) {
      const pages = await readAll(admin, path, name, limit);
      expect(pages.flat().map((row) => row[key])).toEqual(whole.map((row) => row[key]));
      expect(pages.map(({ length }) => length).slice(0, -1)).toEqual(pages.slice(0, -1).map(() => limit));
      expect(pages.at(-1)?.length).toBeGreaterThan(0);
    }
    expect((await readPage(admin, path, name, "")).rows).toEqual(whole);
  });

  test.each(lists)("%s rejects a forged cursor [S-53]", async (path) => {
    const cursorOf = (place: unknown) => {
      const last = JSON.stringify(place);
      const check = hash("sha256", `cursor ${last}`, "hex").slice(0, 8);
      return Buffer.from(`${last}\n${check}`).toString("base64url");
    };
    const places = [null, true, -1, 0.5, 1e300, [], {}, [[]], ["a", "b"], ["a", "0", "b", 0], [0, 0, "a", 0]];
    const hostile = [{ kind: "root", key: "x" }, { createdAt: "yesterday", id: "x" }, { kind: "user" }];
    const bent = [
      "x",
      "%00",
      "..%2f",
      "a".repeat(2048),
      "a".repeat(2049),
      Buffer.from("x\ny").toString("base64url"),
    ];
    for (const cursor of [...bent, ...[...places, ...hostile].map(cursorOf)]) {
      const refused = await problemOf(await admin("GET", `${path}?cursor=${cursor}`));
      expect([cursor, refused.code]).toEqual([cursor, "USAGE"]);
    }
    for (const query of ["cursor=", "limit=0", "limit=1001", "limit=-1", "limit=1e2", "limit=1&limit=2"])
      expect([query, (await admin("GET", `${path}?${query}`)).status]).toEqual([query, 400]);
  });

  test("rejects a cursor with a position outside the store's range [S-53]", async () => {
    for (const text of ["a\0b", "half \ud800"]) {
      for (const [path, place] of [
        ["/v1/users", text],
        ["/v1/agents", text],
        ["/v1/skills/s1/grants", { kind: "user", key: text }],
        ["/v1/tokens", { createdAt: "2026-01-01T00:00:00.000Z", id: text }],
      ] as const) {
        const last = JSON.stringify(place);
        const check = hash("sha256", `cursor ${last}`, "hex").slice(0, 8);
        const cursor = Buffer.from(`${last}\n${check}`).toString("base64url");
        expect(await problemOf(await admin("GET", `${path}?cursor=${cursor}`))).toMatchObject({
          code: "USAGE",
        });
      }
    }
  });

  test("lists only the caller's agents, and an agent sees only itself [S-53]", async () => {
    const bob = asker(gateway, await gateway.asRole("publisher", "bob"));
    await addAgent(
      { key: "agent-3b", runtime: "test" },
      { by: { user: "bob", role: "publisher" } },
      gateway.registry,
    );
    const keysFor = async (who: Ask) =>
      (await readAll(who, "/v1/agents", "agents", 1)).flat().map(({ key }) => key);
    expect(await keysFor(bob)).toEqual(["agent-3b"]);
    const acting = asker(gateway, await gateway.asRole("publisher", "ada", "agent-2"));
    expect(await keysFor(acting)).toEqual(["agent-2"]);
    const own = asker(gateway, await gateway.asRole("publisher", "ada"));
    expect(await keysFor(own)).toEqual(["agent-1", "agent-2", "agent-3", "agent-4", "agent-5"]);
  });

  test("a pinned caller gets a page with the pinned revision [S-53]", async () => {
    const pinned = { by: ada, pin: 2 };
    await grantSkill("s1", { kind: "user", key: "user-1" }, pinned, gateway.registry);
    const viewer = asker(gateway, await gateway.asRole("viewer", "user-1"));
    const pages = await readAll(viewer, "/v1/skills/s1/versions", "versions", 1);
    expect(pages.map((page) => page.map(({ revision }) => revision))).toEqual([[2]]);
    await grantSkill("s1", { kind: "user", key: "user-1" }, { by: ada }, gateway.registry);
  });

  test("accepts cursors for the longest names [S-53]", async () => {
    const keys = ["😀", "é", "字"].map((sign) => sign.repeat(256 / sign.length));
    for (const key of keys) await grantSkill("s2", { kind: "user", key }, { by: ada }, gateway.registry);
    const grants = await readAll(admin, "/v1/skills/s2/grants", "grants", 1);
    expect(grants.flat()).toHaveLength(keys.length);
    expect((await readAll(admin, "/v1/users", "users", 1)).flat().length).toBeGreaterThan(keys.length);
  });

  test("lists an unchanged row once while others change [S-53]", async () => {
    const grantTo = (key: string) => `/v1/skills/s3/grants/user/${key}`;
    const names = Array.from({ length: 12 }, (_, at) => `p${String.fromCharCode(97 + at)}`);
    const change = fc.record({ name: fc.constantFrom(...names), isGiven: fc.boolean() });
    const run = async (start: readonly string[], changes: readonly Change[], limit: number) => {
      for (const name of names)
        await admin(
          start.includes(name) ? "PUT" : "DELETE",
          grantTo(name),
          start.includes(name) ? { body: {} } : {},
        );
      const kept = new Set(start);
      const waiting = [...changes];
      const pages = await readAll(admin, "/v1/skills/s3/grants", "grants", limit, async () => {
        for (const { name, isGiven } of waiting.splice(0, 2)) {
          if (!isGiven) kept.delete(name);
          await admin(isGiven ? "PUT" : "DELETE", grantTo(name), isGiven ? { body: {} } : {});
        }
      });
      const seen = pages.flat().map(({ grantee }) => (grantee as { readonly key: string }).key);
      expect(seen).toEqual([...new Set(seen)].sort());
      expect([...kept].filter((name) => !seen.includes(name))).toEqual([]);
    };
    await fc.assert(
      fc.asyncProperty(
        fc.subarray(names, { minLength: 3 }),
        fc.array(change, { maxLength: 6 }),
        fc.integer({ min: 1, max: 3 }),
        run,
      ),
      { numRuns: 6 },
    );
  });
});

test("another caller's cursor discloses no rows [S-53]", async () => {
  const gateway = await openOn("sqlite");
  try {
    await put(gateway, "own");
    const headers = await gateway.asRole("publisher", "eve");
    for (const path of ["/v1/skills/own/grants?limit=1", "/v1/skills/own/versions?limit=1"])
      expect(await problemOf(await ask(gateway, "GET", path, { headers }))).toMatchObject({
        code: "SKILL_NOT_FOUND",
      });
  } finally {
    await gateway.close();
  }
});
