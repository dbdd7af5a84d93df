import { approval, later } from "@skillhold/core/test/approval/approval.fixture";
import type { RegistryStore, RegistryTransaction } from "@skillhold/registry/record";
import type { StoredToken } from "@skillhold/registry/token";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { migrate } from "./migration.ts";
import { migrations } from "./migration-table.ts";
import { execute, withDb } from "./raw-registry.fixture.ts";
import { at, deleted, token } from "./registry.fixture.ts";
import { openRegistryStore } from "./registry-store.ts";

const hostileTexts = ["a\0b", "half \ud800", "\udc00"];
const minute = 60_000;

/** The contract of every registry store for tokens and approvals. */
export function registryTokenContract(engine: string, freshUrl: () => Promise<string>): void {
  describe(`tokens and approvals on ${engine}`, () => {
    let url: string;
    let store: RegistryStore;
    beforeEach(async () => {
      url = await freshUrl();
      store = await openRegistryStore(url);
    });
    afterEach(() => store.close());

    const put = (...tokens: readonly StoredToken[]) =>
      store.transaction(async (tx) => {
        for (const each of tokens) await tx.putToken(each);
      });
    const ids = async () => (await store.listTokens()).map(({ id }) => id);
    /** Closing waits for pending writes. */
    const reopen = async () => {
      await store.close();
      store = await openRegistryStore(url);
    };

    describe("tokens", () => {
      test("reads a token by hash or id only [S-53]", async () => {
        const full = token("a", {
          kind: "session",
          name: "技能 ☃ 𝕏 ' \" $1 ?",
          role: "agent",
          agent: "coder",
          revokedAt: later(1).toISOString(),
          lastUsedAt: later(2).toISOString(),
        });
        await put(full, token("b"));
        expect([await store.findToken(full.hash), await store.findToken("a")]).toEqual([full, full]);
        expect(await store.findToken(token("b").hash)).toEqual(token("b"));
        for (const text of ["", "A", full.hash.toUpperCase(), full.hash.slice(0, 63), ...hostileTexts])
          expect(await store.findToken(text)).toBeUndefined();
      });

      test("lists tokens, all or of one kind, oldest first [S-53]", async () => {
        const second = token("a", { createdAt: later(1).toISOString() });
        const signIn = token("c", { kind: "sign-in" });
        await put(second, token("b"), signIn);
        expect(await store.listTokens()).toEqual([token("b"), signIn, second]);
        expect(await store.listTokens("api")).toEqual([token("b"), second]);
        expect(await store.listTokens("session")).toEqual([]);
      });

      test("putting a token again revokes it permanently and changes no other field [S-53]", async () => {
        await put(token("a"));
        const revokedAt = later(1).toISOString();
        const other = {
          role: "admin",
          user: "eve",
          name: "x",
          expiresAt: later(9e12).toISOString(),
        } as const;
        await put(token("a", { ...other, revokedAt }));
        expect(await store.listTokens()).toEqual([token("a", { revokedAt })]);
        await put(token("a"), token("a", { revokedAt: later(2).toISOString() }));
        expect(await store.listTokens()).toEqual([token("a", { revokedAt })]);
      });

      test("rejects two tokens with the same hash [S-53]", async () => {
        await put(token("a"));
        await expect(put(token("b", { hash: token("a").hash }))).rejects.toMatchObject({ code: "CONFLICT" });
        expect(await ids()).toEqual(["a"]);
      });

      test("rejects changed token rows [S-53]", async () => {
        await put(token("a"));
        for (const change of [
          "role = 'root'",
          "role = 'system'",
          "role = 'admin', kind = 'cookie'",
          "kind = 'api', account = ''",
          "account = 'ann', agent = ''",
          "agent = null, expires_at = 'never'",
          `expires_at = '${at}', revoked_at = ''`,
        ]) {
          await execute(url, `update token set ${change}`);
          await expect(store.findToken("a")).rejects.toMatchObject({ code: "INTEGRITY_FAILED" });
          await expect(store.listTokens()).rejects.toMatchObject({ code: "INTEGRITY_FAILED" });
        }
      });
    });

    describe("uses of tokens", () => {
      const touch = (id: string, ms: number) => store.touchTokens(new Map([[id, later(ms).toISOString()]]));
      const lastUse = async (id: string) => {
        await reopen();
        return (await store.findToken(id))?.lastUsedAt;
      };

      test("the last use is written before closing and is not in the log [S-53]", async () => {
        await put(token("a"), token("b"), token("c"));
        touch("a", 5);
        touch("b", 6);
        expect(await lastUse("a")).toBe(later(5).toISOString());
        expect((await store.findToken("b"))?.lastUsedAt).toBe(later(6).toISOString());
        expect((await store.findToken("c"))?.lastUsedAt).toBeUndefined();
        expect(await store.lastEvent()).toBe(0);
      });

      test("the last use is written at most once a minute and never moves back [S-53]", async () => {
        await put(token("a"));
        for (const [said, kept] of [
          [0, 0],
          [minute - 1, 0],
          [minute, minute],
          [0, minute],
          [3 * minute, 3 * minute],
        ] as const) {
          touch("a", said);
          expect(await lastUse("a")).toBe(later(kept).toISOString());
        }
      });

      test("a use that cannot be written causes no error [S-53]", async () => {
        await put(token("a"));
        touch("unknown", 0);
        for (const text of hostileTexts) touch(text, 0);
        expect(await lastUse("a")).toBeUndefined();
        await store.close();
        expect(() => touch("a", 0)).not.toThrow();
        await reopen();
      });

      test("a concurrent use and revocation are both stored [S-53]", async () => {
        await put(token("a"));
        const revokedAt = later(1).toISOString();
        touch("a", 5);
        await put(token("a", { revokedAt }));
        expect(await lastUse("a")).toBe(later(5).toISOString());
        expect((await store.findToken("a"))?.revokedAt).toBe(revokedAt);
      });
    });

    describe("expired rows", () => {
      const forget = (ms: number) => store.transaction((tx) => tx.forgetExpired(later(ms)));
      const until = (ms: number) => ({ expiresAt: later(ms).toISOString() });

      test("are deleted from the moment of expiry, without affecting others [S-28] [S-53]", async () => {
        await put(token("a", until(1000)), token("b", until(1001)), token("c", { revokedAt: at }));
        await store.transaction(async (tx) => {
          await tx.putApproval(approval("a", until(1000)));
          await tx.putApproval(approval("b", until(1001)));
        });
        await forget(999);
        expect(await ids()).toEqual(["a", "b", "c"]);
        await forget(1000);
        expect(await ids()).toEqual(["b", "c"]);
        expect(await store.listApprovals(later(0))).toEqual([approval("b", until(1001))]);
      });

      test("are deleted in batches, oldest first [S-53]", async () => {
        const many = Array.from({ length: 750 }, (_, index) => token(`t-${1000 + index}`, until(index)));
        await put(...many, token("kept"));
        await forget(1000);
        const left = await ids();
        expect(left.length).toBeGreaterThan(1);
        expect(left.length).toBeLessThan(751);
        expect(left).toEqual(["kept", ...many.slice(1 - left.length).map(({ id }) => id)]);
        await forget(1000);
        expect(await ids()).toEqual(["kept"]);
      });

      test("can be deleted by many processes at once [S-53]", async () => {
        await put(...Array.from({ length: 40 }, (_, index) => token(`t-${index}`, until(index % 7))));
        const others = await Promise.all([1, 2, 3].map(() => openRegistryStore(url)));
        try {
          await Promise.all(
            [store, ...others].map((each) => each.transaction((tx) => tx.forgetExpired(later(10)))),
          );
        } finally {
          for (const other of others) await other.close();
        }
        expect(await ids()).toEqual([]);
      });
    });

    test("rejects changed approval rows [S-28]", async () => {
      const kept = approval("a");
      const broken = { act: "anything", skill: "No Id", tree_hash: "x", expires_at: "never" };
      for (const [column, value] of Object.entries(broken)) {
        await store.transaction((tx) => tx.putApproval(kept));
        expect(await store.findApproval(kept.key, later(0))).toEqual(kept);
        await execute(url, `update approval set ${column} = '${value}'`);
        await expect(store.findApproval(kept.key, later(0))).rejects.toMatchObject({
          code: "INTEGRITY_FAILED",
        });
      }
    });

    test("both engines reject text they cannot store, without partial writes [S-64]", async () => {
      for (const text of hostileTexts) {
        for (const work of [
          (tx: RegistryTransaction) => tx.putToken(token("a", { name: text })),
          (tx: RegistryTransaction) => tx.putToken(token("a", { user: text })),
          (tx: RegistryTransaction) => tx.putApproval(approval("a", { target: text })),
        ])
          await expect(store.transaction(work)).rejects.toMatchObject({ code: "USAGE" });
        expect(await store.transaction((tx) => tx.removeApproval(text))).toBe(false);
      }
      expect([await ids(), await store.listApprovals(later(0))]).toEqual([[], []]);
    });

    test("tokens, approvals and the log change atomically [S-53]", async () => {
      const work = store.transaction(async (tx) => {
        await tx.putToken(token("a"));
        await tx.putApproval(approval("a"));
        expect((await tx.listTokens()).length + (await tx.listApprovals(later(0))).length).toBe(2);
        await tx.append(deleted("pdf"));
        throw new Error("no");
      });
      await expect(work).rejects.toThrow("no");
      expect([await ids(), await store.listApprovals(later(0)), await store.lastEvent()]).toEqual([
        [],
        [],
        0,
      ]);
    });

    test("an older registry gets the tables and keeps its data [S-64]", async () => {
      await store.close();
      url = await freshUrl();
      await withDb(url, async (db) => {
        await migrate(db, { now: () => later(0) }, migrations.slice(0, 2));
        await db.transaction((tx) =>
          tx.script(`insert into account (name, created_at) values ('ann', '${at}')`),
        );
      });
      store = await openRegistryStore(url);
      await put(token("a"));
      await store.transaction((tx) => tx.putApproval(approval("a")));
      expect([(await store.listUsers()).length, (await store.listTokens()).length]).toEqual([1, 1]);
      expect(await store.listApprovals(later(0))).toEqual([approval("a")]);
    });
  });
}
