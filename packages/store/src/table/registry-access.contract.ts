import type { RegistryStore, RegistryTransaction } from "@skillhold/registry/record";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { execute } from "./raw-registry.fixture.ts";
import { agent, at, grant, skill } from "./registry.fixture.ts";
import { openRegistryStore } from "./registry-store.ts";

const later = "2027-01-01T00:00:00.000Z";
const hostileTexts = ["a\0b", "half \ud800", "\udc00"];

/** The contract of every registry store for agents, users, grants and toggles. */
export function registryAccessContract(engine: string, freshUrl: () => Promise<string>): void {
  describe(`access records on ${engine}`, () => {
    let url: string;
    let store: RegistryStore;
    beforeEach(async () => {
      url = await freshUrl();
      store = await openRegistryStore(url);
    });
    afterEach(() => store.close());

    describe("agents", () => {
      const put = (...agents: readonly ReturnType<typeof agent>[]) =>
        store.transaction(async (tx) => {
          for (const each of agents) await tx.putAgent(each);
        });

      test("reads an agent by key and by uid [S-65]", async () => {
        const full = agent("coder", {
          displayName: "技能 ☃ 𝕏 ' \" $1 ?",
          runtime: "hermes",
          allow: ["pdf", "docx"],
          pins: { pdf: 3, docx: 1 },
          manifest: "name: coder\n",
          removedAt: later,
        });
        await put(full, agent("tester"));
        expect(await store.findAgent("coder")).toEqual(full);
        expect(await store.findAgent("uid-coder")).toEqual(full);
        expect(await store.findAgent("uid-tester")).toEqual(agent("tester"));
        for (const text of ["CODER", ...hostileTexts]) expect(await store.findAgent(text)).toBeUndefined();
      });

      test("distinguishes an absent skill list from an empty one [S-65]", async () => {
        await put(agent("all"), agent("none", { allow: [] }));
        expect((await store.findAgent("all"))?.allow).toBeUndefined();
        expect((await store.findAgent("none"))?.allow).toEqual([]);
      });

      test("finds a key before an equal uid [S-65]", async () => {
        await put(agent("first", { uid: "second" }), agent("second"));
        expect((await store.findAgent("second"))?.key).toBe("second");
      });

      test("lists agents by the bytes of their keys, without removed ones [S-65]", async () => {
        const keys = ["b", "B", "a-b", "ab", "a", "ä"];
        await put(...keys.map((key) => agent(key)), agent("gone", { removedAt: later }));
        const listed = (await store.listAgents()).map(({ key }) => key);
        expect(listed).toEqual(["B", "a", "a-b", "ab", "b", "ä"]);
      });

      test("replaces all fields of an agent except its key [S-65]", async () => {
        await put(agent("coder", { pins: { pdf: 1 }, manifest: "a" }));
        const changed = agent("coder", {
          displayName: "Other",
          allow: ["pdf"],
          owner: "bob",
          updatedAt: later,
        });
        await put(changed);
        expect(await store.listAgents()).toEqual([changed]);
        await put({ ...changed, removedAt: later });
        for (const other of [agent("coder", { uid: "other" }), agent("renamed", { uid: "uid-coder" })]) {
          await expect(put(other)).rejects.toMatchObject({ code: "CONFLICT" });
        }
        expect(await store.findAgent("coder")).toEqual({ ...changed, removedAt: later });
      });

      test("rejects agent rows with changed permissions [S-43]", async () => {
        await put(agent("coder", { allow: ["pdf"] }));
        for (const change of [
          `allow = '"pdf"'`,
          "allow = '['",
          "allow = null, pins = '[1]'",
          `pins = '{"pdf":0}'`,
        ]) {
          await execute(url, `update agent set ${change}`);
          await expect(store.findAgent("coder")).rejects.toMatchObject({ code: "INTEGRITY_FAILED" });
          await expect(store.listAgents()).rejects.toMatchObject({ code: "INTEGRITY_FAILED" });
        }
        await expect(put(agent("tester", { pins: { pdf: 0 } }))).rejects.toThrow();
      });
    });

    describe("users", () => {
      test("keeps the first record of a user [S-43]", async () => {
        const ann = { name: "ann", displayName: undefined, createdAt: at };
        const bob = { name: "bob", displayName: "Bob ☃", createdAt: at };
        await store.transaction(async (tx) => {
          await tx.putUser(bob);
          await tx.putUser(ann);
          await tx.putUser({ name: "ann", displayName: "Eve", createdAt: later });
        });
        expect(await store.listUsers()).toEqual([ann, bob]);
        expect(await store.findUser("ann")).toEqual(ann);
        for (const name of ["Ann", ...hostileTexts]) expect(await store.findUser(name)).toBeUndefined();
      });
    });

    describe("grants", () => {
      const put = (...grants: readonly ReturnType<typeof grant>[]) =>
        store.transaction(async (tx) => {
          for (const each of grants) await tx.putGrant(each);
        });
      beforeEach(() =>
        store.transaction(async (tx) => {
          for (const id of ["pdf", "docx"]) await tx.putSkill(skill(id));
        }),
      );

      test("reads grants ordered by skill, kind and key [S-43]", async () => {
        const user = { grantee: { kind: "user", key: "coder" } } as const;
        const grants = [
          grant("docx", "coder"),
          grant("pdf", "a", { canManage: true, pin: 7 }),
          grant("pdf", "coder", { grantedBy: "bob ☃", at: later }),
          grant("pdf", "coder", { ...user, pin: 1 }),
        ];
        await put(...grants.toReversed());
        expect(await store.listGrants()).toEqual(grants);
        expect(await store.listGrants(["uid-pdf", "unknown", ...hostileTexts])).toEqual(grants.slice(1));
        expect(await store.listGrants([])).toEqual([]);
      });

      test("keeps one grant per skill and grantee, the latest [S-43]", async () => {
        const last = grant("pdf", "coder", { pin: undefined, grantedBy: "bob", at: later });
        await put(grant("pdf", "coder", { canManage: true, pin: 2 }), last);
        expect(await store.listGrants()).toEqual([last]);
      });

      test("removes one grant once, without affecting others [S-43]", async () => {
        const user = grant("pdf", "coder", { grantee: { kind: "user", key: "coder" } });
        await put(grant("pdf", "coder"), user, grant("docx", "coder"));
        const remove = (key: string) =>
          store.transaction((tx) => tx.removeGrant("uid-pdf", { kind: "agent", key }));
        expect([await remove("coder"), await remove("coder"), await remove("a\0b")]).toEqual([
          true,
          false,
          false,
        ]);
        expect(await store.listGrants()).toEqual([grant("docx", "coder"), user]);
      });

      test("rejects a grant of a missing skill [S-43]", async () => {
        await expect(put(grant("xlsx", "coder"))).rejects.toMatchObject({ code: "STORE_FAILED" });
        expect(await store.listGrants()).toEqual([]);
      });

      test("reads the grants of any number of skills [S-43]", async () => {
        const ids = Array.from({ length: 1100 }, (_, index) => `s-${index}`);
        await store.transaction(async (tx) => {
          for (const id of ids) {
            await tx.putSkill(skill(id));
            await tx.putGrant(grant(id, "coder"));
          }
        });
        const listed = await store.listGrants(ids.map((id) => `uid-${id}`));
        expect(listed.map((each) => each.skill)).toEqual(ids.map((id) => `uid-${id}`).toSorted());
      });

      test("rejects changed grant rows [S-43]", async () => {
        await put(grant("pdf", "coder"));
        for (const change of ["kind = 'all'", "kind = 'agent', can_manage = 2", "can_manage = 1, pin = 0"]) {
          await execute(url, `update skill_grant set ${change}`);
          await expect(store.listGrants()).rejects.toMatchObject({ code: "INTEGRITY_FAILED" });
        }
      });
    });

    test("the latest toggle of a folder skill applies [S-44]", async () => {
      const toggle = (id: string, isEnabled: boolean, by = "ann") => ({ id, isEnabled, by, at });
      await store.transaction(async (tx) => {
        for (const each of [toggle("pdf", true), toggle("docx", false), toggle("pdf", false, "bob")]) {
          await tx.putToggle(each);
        }
      });
      expect(await store.listToggles()).toEqual([toggle("docx", false), toggle("pdf", false, "bob")]);
    });

    test("both engines reject text they cannot store, without partial writes [S-64]", async () => {
      await store.transaction((tx) => tx.putSkill(skill("pdf")));
      for (const text of hostileTexts) {
        for (const work of [
          (tx: RegistryTransaction) => tx.putAgent(agent("a", { manifest: text })),
          (tx: RegistryTransaction) => tx.putUser({ name: text, displayName: undefined, createdAt: at }),
          (tx: RegistryTransaction) => tx.putGrant(grant("pdf", text)),
          (tx: RegistryTransaction) => tx.putToggle({ id: text, isEnabled: true, by: "ann", at }),
        ]) {
          await expect(store.transaction(work)).rejects.toMatchObject({ code: "USAGE" });
        }
      }
      expect([await store.listAgents(), await store.listUsers(), await store.listToggles()]).toEqual([
        [],
        [],
        [],
      ]);
    });

    test("permissions and their subjects change atomically [S-43]", async () => {
      const work = store.transaction(async (tx) => {
        await tx.putSkill(skill("pdf", { visibility: "internal" }));
        await tx.putGrant(grant("pdf", "coder"));
        await tx.putAgent(agent("coder"));
        await tx.putUser({ name: "ann", displayName: undefined, createdAt: at });
        await tx.putToggle({ id: "pdf", isEnabled: false, by: "ann", at });
        expect([(await tx.listGrants()).length, (await tx.listAgents()).length]).toEqual([1, 1]);
        throw new Error("no");
      });
      await expect(work).rejects.toThrow("no");
      const left = [
        store.listSkills(),
        store.listGrants(),
        store.listAgents(),
        store.listUsers(),
        store.listToggles(),
      ];
      expect((await Promise.all<readonly unknown[]>(left)).flat()).toEqual([]);
    });
  });
}
