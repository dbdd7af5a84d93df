import type { RegistryStore } from "@skillhold/registry/record";
import * as fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { execute } from "./raw-registry.fixture.ts";
import { agent, at, grant, revision, skill, token } from "./registry.fixture.ts";
import { openRegistryStore } from "./registry-store.ts";

/** A paged list, reduced to distinct keys. */
interface PagedList {
  readonly name: string;
  readonly table: string;
  /** Unordered keys that sort differently by bytes, code units and languages. */
  readonly keys: readonly string[];
  readonly put: (key: string, store: RegistryStore) => Promise<void>;
  /** The statement that removes a row of this list, if rows are ever removed. */
  readonly remove?: (key: string) => string;
  readonly page: (after: string | undefined, limit: number, store: RegistryStore) => Promise<string[]>;
  readonly compare: (a: string, b: string) => number;
}

const names = ["b", "B", "a-b", "ab", "a", "ä", "z", "\uffee", "𝕏", "_", "aa", "Zoë", "0", "~", "é", "e"];
const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
const quoted = (key: string) => `'${key}'`;

/** Three tokens share a time, and every second one is a session. */
const tokenOf = (key: string) => {
  const number = Number(key.slice(1));
  const createdAt = new Date(Date.parse(at) + Math.floor(number / 3) * 1000).toISOString();
  return token(key, { createdAt, kind: number % 2 === 0 ? "api" : "session" });
};
const granteeOf = (key: string) => ({ kind: key < "b" ? ("agent" as const) : ("user" as const), key });

const lists: readonly PagedList[] = [
  {
    name: "users",
    table: "account",
    keys: names,
    put: (name, store) =>
      store.transaction((tx) => tx.putUser({ name, displayName: undefined, createdAt: at })),
    remove: (key) => `delete from account where name = ${quoted(key)}`,
    page: async (after, limit, store) => (await store.listUsers({ after, limit })).map(({ name }) => name),
    compare: byBytes,
  },
  {
    name: "the agents of an owner",
    table: "agent",
    keys: names,
    put: (key, store) =>
      store.transaction(async (tx) => {
        await tx.putAgent(agent(key, { owner: "bob" }));
        await tx.putAgent(agent(`${key} of another`));
        await tx.putAgent(agent(`${key} that is gone`, { owner: "bob", removedAt: at }));
      }),
    remove: (key) => `update agent set removed_at = '${at}' where key = ${quoted(key)}`,
    page: async (after, limit, store) =>
      (await store.listAgents({ after, limit, owner: "bob" })).map(({ key }) => key),
    compare: byBytes,
  },
  {
    name: "all agents",
    table: "agent",
    keys: names,
    put: (key, store) => store.transaction((tx) => tx.putAgent(agent(key, { owner: key }))),
    remove: (key) => `update agent set removed_at = '${at}' where key = ${quoted(key)}`,
    page: async (after, limit, store) => (await store.listAgents({ after, limit })).map(({ key }) => key),
    compare: byBytes,
  },
  {
    name: "grants",
    table: "skill_grant",
    keys: names,
    put: (key, store) =>
      store.transaction(async (tx) => {
        await tx.putGrant(grant("pdf", key, { grantee: granteeOf(key) }));
        await tx.putGrant(grant("docx", key, { grantee: granteeOf(key) }));
      }),
    remove: (key) => `delete from skill_grant where key = ${quoted(key)}`,
    page: async (after, limit, store) => {
      const place = after === undefined ? undefined : granteeOf(after);
      const rows = await store.listGrantPage("uid-pdf", { after: place, limit });
      return rows.map(({ grantee }) => grantee.key);
    },
    compare: (a, b) => byBytes(granteeOf(a).kind, granteeOf(b).kind) || byBytes(a, b),
  },
  {
    name: "tokens",
    table: "token",
    keys: Array.from({ length: 16 }, (_, number) => `t${number}`),
    put: (key, store) =>
      store.transaction(async (tx) => {
        await tx.putToken(tokenOf(key));
        await tx.putToken({ ...token(`${key} to sign in`), kind: "sign-in" });
      }),
    remove: (key) => `delete from token where id = ${quoted(key)}`,
    page: async (after, limit, store) => {
      const rows = await store.listTokenPage({ after: after === undefined ? after : tokenOf(after), limit });
      return rows.map(({ id }) => id);
    },
    compare: (a, b) => byBytes(tokenOf(a).createdAt, tokenOf(b).createdAt) || byBytes(a, b),
  },
  {
    name: "revisions",
    table: "revision",
    keys: Array.from({ length: 16 }, (_, number) => String(number + 1)),
    put: (key, store) =>
      store.transaction(async (tx) => {
        for (const id of ["pdf", "docx"]) {
          if ((await tx.findRevision(`uid-${id}`, Number(key))) === undefined)
            await tx.insertRevision(revision(id, Number(key)));
        }
      }),
    page: async (after, limit, store) => {
      const before = after === undefined ? undefined : Number(after);
      return (await store.listRevisions("uid-pdf", { before, limit })).map((row) => String(row.revision));
    },
    compare: (a, b) => Number(b) - Number(a),
  },
];

/** The contract of every registry store for paged lists. */
export function registryPageContract(engine: string, freshUrl: () => Promise<string>): void {
  describe(`pages on ${engine}`, () => {
    let url: string;
    let store: RegistryStore;
    beforeAll(async () => {
      url = await freshUrl();
      store = await openRegistryStore(url);
      await store.transaction(async (tx) => {
        for (const id of ["pdf", "docx"]) await tx.putSkill(skill(id));
      });
    });
    afterAll(() => store.close());

    describe.each(lists)("$name", (list) => {
      const clear = () => execute(url, `delete from ${list.table}`);
      beforeEach(clear);

      test("are ordered and limited to the page size [S-53]", async () => {
        for (const key of list.keys) await list.put(key, store);
        const all = list.keys.toSorted(list.compare);
        expect(await list.page(undefined, 100, store)).toEqual(all);
        expect(await list.page(undefined, 3, store)).toEqual(all.slice(0, 3));
        expect(await list.page(all[2], 3, store)).toEqual(all.slice(3, 6));
        expect(await list.page(all.at(-1), 3, store)).toEqual([]);
        expect(await list.page(undefined, 0, store)).toEqual([]);
        await expect(list.page(undefined, -1, store)).rejects.toMatchObject({ code: "USAGE" });
      });

      test("contain every row once while rows are added and removed [S-53]", async () => {
        const change = fc.record({ key: fc.constantFrom(...list.keys), isAdded: fc.boolean() });
        await fc.assert(
          fc.asyncProperty(
            fc.subarray([...list.keys], { minLength: 4 }),
            fc.array(change, { maxLength: 12 }),
            fc.integer({ min: 1, max: 4 }),
            async (start, changes, limit) => {
              await clear();
              for (const key of start) await list.put(key, store);
              const kept = new Set(start);
              const ever = new Set(start);
              const seen: string[] = [];
              const waiting = [...changes];
              for (let page = await list.page(undefined, limit, store); page.length > 0; ) {
                seen.push(...page);
                for (const { key, isAdded } of waiting.splice(0, 3)) {
                  if (isAdded) ever.add(key);
                  else if (list.remove !== undefined) kept.delete(key);
                  if (isAdded) await list.put(key, store);
                  else if (list.remove !== undefined) await execute(url, list.remove(key));
                }
                page = await list.page(seen.at(-1), limit, store);
              }
              expect(seen).toEqual([...new Set(seen)].sort(list.compare));
              expect([...kept].filter((key) => !seen.includes(key))).toEqual([]);
              expect(seen.filter((key) => !ever.has(key))).toEqual([]);
            },
          ),
          { numRuns: 15 },
        );
      });
    });

    test("an impossible cursor is rejected or returns no rows [S-53]", async () => {
      for (const text of ["a\0b", "half \ud800"]) {
        await expect(store.listUsers({ after: text, limit: 1 })).rejects.toMatchObject({ code: "USAGE" });
        await expect(store.listAgents({ after: text, limit: 1 })).rejects.toMatchObject({ code: "USAGE" });
        expect(await store.listAgents({ owner: text, limit: 1 })).toEqual([]);
        expect(await store.listGrantPage(text, { limit: 1 })).toEqual([]);
        expect(await store.findGrant("uid-pdf", { kind: "user", key: text })).toBeUndefined();
      }
    });
  });
}
