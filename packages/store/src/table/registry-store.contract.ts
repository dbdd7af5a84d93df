import { SkillEvent } from "@skillhold/protocol";
import type { RegisteredSkill, RegistryStore, Revision } from "@skillhold/registry/record";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Sql, sql } from "../engine/sql.ts";
import { withDb } from "./raw-registry.fixture.ts";
import { at, deleted, digest, record, revision, skill, treeFile } from "./registry.fixture.ts";
import { openRegistryStore } from "./registry-store.ts";

const usage = { code: "USAGE" };
const hostileTexts = ["a\0b", "half \ud800", "\udc00"];

/** The contract of every registry store for its records. */
export function registryStoreContract(engine: string, freshUrl: () => Promise<string>): void {
  describe(`the registry on ${engine}`, () => {
    let url: string;
    let store: RegistryStore;
    beforeEach(async () => {
      url = await freshUrl();
      store = await openRegistryStore(url);
    });
    afterEach(() => store.close());

    const publish = (id: string, fields: Parameters<typeof skill>[1] = {}) =>
      store.transaction(async (tx) => {
        await tx.insertRevision(revision(id, fields.revision ?? 1));
        await tx.putSkill(skill(id, fields));
      });

    describe("skills", () => {
      test("reads a skill by id and by uid [S-64]", async () => {
        const full = skill("pdf", {
          visibility: "public",
          isSystem: true,
          isEnabled: false,
          status: "archived",
          reason: "deps",
          missing: ["pip:pypdf", "pandoc"],
          revision: 3,
          lastRevision: 7,
          treeHash: undefined,
          override: { name: "PDF ☃ 技能 𝕏", tags: ["a", "b"] },
          deletedAt: at,
        });
        await store.transaction(async (tx) => {
          await tx.putSkill(full);
          await tx.putSkill(skill("docx"));
        });
        expect(await store.findSkill("pdf")).toEqual(full);
        expect(await store.findSkill("uid-docx")).toEqual(skill("docx"));
        expect(await store.findSkill("PDF")).toBeUndefined();
      });

      test("finds an id before an equal uid [S-5]", async () => {
        await store.transaction(async (tx) => {
          await tx.putSkill(skill("docx", { uid: "pdf" }));
          await tx.putSkill(skill("pdf"));
        });
        expect((await store.findSkill("pdf"))?.id).toBe("pdf");
      });

      test("replaces the row of a uid, and an id belongs to one uid [S-5]", async () => {
        await store.transaction((tx) => tx.putSkill(skill("pdf")));
        await store.transaction((tx) => tx.putSkill(skill("pdf", { owner: "bob", revision: 2 })));
        expect(await store.listSkills()).toEqual([skill("pdf", { owner: "bob", revision: 2 })]);
        const taken = store.transaction((tx) => tx.putSkill(skill("pdf", { uid: "other" })));
        await expect(taken).rejects.toMatchObject({ code: "CONFLICT" });
      });

      test("lists skills by the bytes of their ids in pages, including deleted ones [S-45]", async () => {
        const ids = ["b", "a-b", "ab", "a1", "a", "0", "a-1", "aa"];
        for (const id of ids) await store.transaction((tx) => tx.putSkill(skill(id, { deletedAt: at })));
        const sorted = ids.toSorted();
        expect((await store.listSkills()).map(({ id }) => id)).toEqual(sorted);
        const first = await store.listSkills({ limit: 3 });
        const rest = await store.listSkills({ after: first[2]?.id ?? "", limit: 100 });
        expect([...first, ...rest].map(({ id }) => id)).toEqual(sorted);
      });

      test("returns the current revision and excludes deleted skills [S-45]", async () => {
        await publish("pdf");
        await publish("docx");
        await publish("gone", { deletedAt: at });
        await publish("also-gone", { status: "deleted" });
        await store.transaction((tx) => tx.putSkill(skill("bare")));
        await publish("pdf", { revision: 2, lastRevision: 2 });
        const listed = await store.listCurrent();
        expect(listed.map(({ skill: { id, revision: number } }) => [id, number])).toEqual([
          ["docx", 1],
          ["pdf", 2],
        ]);
        const { record: words, trust, version, skillHash, createdAt } = revision("pdf", 2);
        expect(listed[1]?.revision).toEqual({ record: words, trust, version, skillHash, createdAt });
        await publish("pdf", { revision: 3, lastRevision: 3 });
        await store.transaction((tx) => tx.putSkill(skill("pdf", { revision: 1, lastRevision: 3 })));
        expect((await store.listCurrent(["pdf"]))[0]?.revision.skillHash).toBe(revision("pdf", 1).skillHash);
      });

      test("lists enabled skills that have dependencies or lack some [S-35]", async () => {
        const need = {
          kind: "pip",
          name: "pypdf",
          import: "pypdf",
          optional: false,
          declared: true,
          seen: [],
        } as const;
        const put = async (id: string, fields: Partial<RegisteredSkill>, more: Partial<Revision> = {}) =>
          await store.transaction(async (tx) => {
            await tx.putSkill(skill(id, fields));
            await tx.insertRevision(revision(id, fields.revision ?? 1, more));
          });
        const manifest = { dependencies: [need], notes: [] };
        await put("needs", {}, { manifest });
        await put("plain", {});
        await put(
          "noted",
          {},
          { manifest: { dependencies: [], notes: [{ file: "a.py", message: "too long" }] } },
        );
        await put("lacks", { missing: ["pip:pypdf"] });
        await put("waits", { status: "archived", reason: "deps" });
        await put("off", { isEnabled: false }, { manifest });
        await put("gone", { status: "deleted", deletedAt: at }, { manifest });
        await put("before", {}, { manifest });
        await put("before", { revision: 2, lastRevision: 2 });
        expect(await store.listDependent()).toEqual(["lacks", "needs", "waits"]);
      });

      test("reads current skills by any number of ids with any text [S-64]", async () => {
        const ids = Array.from({ length: 1200 }, (_, index) => `s-${index}`);
        await store.transaction(async (tx) => {
          for (const id of ids) {
            await tx.putSkill(skill(id));
            await tx.insertRevision(revision(id));
          }
        });
        const asked = [...ids, "s-1", "unknown", "'; drop table skill; --", ...hostileTexts];
        const listed = await store.listCurrent(asked);
        expect(listed.map((each) => each.skill.id)).toEqual(ids.toSorted());
        expect(await store.listCurrent([])).toEqual([]);
        const paged: string[] = [];
        for (let after: string | undefined; paged.length < ids.length; after = paged.at(-1)) {
          const page = await store.listCurrent(undefined, { after, limit: 500 });
          expect(page.length).toBeLessThanOrEqual(500);
          paged.push(...page.map((each) => each.skill.id));
        }
        expect(paged).toEqual(ids.toSorted());
        expect(await store.listCurrent(undefined, { after: paged.at(-1), limit: 500 })).toEqual([]);
      });
    });

    describe("revisions", () => {
      test("reads a revision as inserted, with its keys in order [S-41]", async () => {
        const full = revision("pdf", 2, {
          version: undefined,
          record: record("pdf", { description: "a\0b \ud800 ☃ 𝕏", metadata: { z: 1, a: [null, { b: "" }] } }),
          frontmatter: JSON.parse('{"z":1,"a":"\\u0000","__proto__":{"x":true},"constructor":null}'),
          manifest: { dependencies: [], notes: [{ file: "a.py", message: "too long" }] },
          trust: "third_party",
          bytes: 2 ** 40,
          files: 2000,
          purgedAt: at,
        });
        await publish("pdf");
        await store.transaction((tx) => tx.insertRevision(full));
        const found = await store.findRevision("uid-pdf", 2);
        expect(found).toEqual(full);
        expect(Object.keys(found?.frontmatter ?? {})).toEqual(["z", "a", "__proto__", "constructor"]);
        expect(await store.findRevision("uid-pdf", 3)).toBeUndefined();
        expect((await store.listRevisions("uid-pdf")).map((each) => each.revision)).toEqual([2, 1]);
        expect(await store.listRevisions("uid-docx")).toEqual([]);
      });

      test("reads skills and revisions that are asked for together [S-64]", async () => {
        await publish("pdf");
        await store.transaction((tx) => tx.insertRevision(revision("pdf", 2)));
        await publish("docx");
        const asked = [
          ["uid-pdf", 1],
          ["uid-docx", 2],
          ["uid-pdf", 2],
          ["uid-docx", 1],
          ["a\0", 1],
        ] as const;
        const together = await Promise.all(asked.map(([uid, number]) => store.findRevision(uid, number)));
        expect(together.map((each) => each && [each.skill, each.revision])).toEqual([
          ["uid-pdf", 1],
          undefined,
          ["uid-pdf", 2],
          ["uid-docx", 1],
          undefined,
        ]);
        const keys = ["pdf", "uid-docx", "none", "docx", "b\0"];
        const skills = await Promise.all(keys.map((key) => store.findSkill(key)));
        expect(skills.map((each) => each?.id)).toEqual(["pdf", "docx", undefined, "docx", undefined]);
      });

      test("revision numbers are unique, and a revision needs its skill [S-41]", async () => {
        await publish("pdf");
        const again = store.transaction((tx) => tx.insertRevision(revision("pdf")));
        await expect(again).rejects.toMatchObject({ code: "CONFLICT" });
        const orphan = store.transaction((tx) => tx.insertRevision(revision("docx")));
        await expect(orphan).rejects.toMatchObject({ code: "STORE_FAILED" });
        expect(await store.findRevision("uid-docx", 1)).toBeUndefined();
      });

      test("purging is recorded once and changes no other field [S-45]", async () => {
        await publish("pdf");
        const later = "2027-01-01T00:00:00.000Z";
        for (const time of [at, later]) {
          await store.transaction((tx) => tx.markPurged("uid-pdf", 1, time));
        }
        expect(await store.findRevision("uid-pdf", 1)).toEqual(revision("pdf", 1, { purgedAt: at }));
      });
    });

    describe("trees", () => {
      test("reads a tree of thousands of files, and replaces an existing tree [S-13]", async () => {
        const files = Array.from({ length: 2000 }, (_, index) =>
          treeFile(`ordner ü/技能/file ${index}`, { executable: index % 2 === 0 }),
        );
        await store.transaction((tx) => tx.putTree(digest("tree"), [treeFile("SKILL.md")]));
        await store.transaction((tx) => tx.putTree(digest("tree"), files));
        expect(await store.findTree(digest("tree"))).toEqual(files);
        expect(await store.findTree(digest("other"))).toBeUndefined();
      });

      test("lists trees by hash in pages, and removes them [S-45]", async () => {
        const hashes = Array.from({ length: 1200 }, (_, index) => digest(`tree ${index}`));
        await store.transaction(async (tx) => {
          for (const hash of hashes) await tx.putTree(hash, [treeFile(hash)]);
        });
        const first = await store.listTrees({ limit: 700 });
        const after = first.at(-1)?.hash ?? digest("");
        const rest = await store.listTrees({ after, limit: 700 });
        expect([...first, ...rest].map(({ hash }) => hash)).toEqual(hashes.toSorted());
        expect(rest[0]?.files).toEqual([treeFile(rest[0]?.hash ?? "")]);
        await store.transaction((tx) => tx.removeTrees(hashes.slice(1)));
        expect((await store.listTrees({ limit: 10 })).map(({ hash }) => hash)).toEqual([hashes[0]]);
      });
    });

    describe("events", () => {
      test("numbers events from 1 and reads a limited number after a position [S-62]", async () => {
        expect([await store.lastEvent(), await store.eventsAfter(0, 10)]).toEqual([0, []]);
        const numbers: number[] = [];
        for (const id of ["a", "b", "c"]) {
          numbers.push(await store.transaction((tx) => tx.append(deleted(id))));
        }
        expect([numbers, await store.lastEvent()]).toEqual([[1, 2, 3], 3]);
        expect(await store.eventsAfter(1, 10)).toEqual([
          { seq: 2, event: deleted("b") },
          { seq: 3, event: deleted("c") },
        ]);
        expect(await store.eventsAfter(0, 1)).toEqual([{ seq: 1, event: deleted("a") }]);
        expect(await store.listBrokenEvents()).toEqual([]);
      });

      test("rejects an invalid event without writing [S-62]", async () => {
        const wrong = { ...deleted("a"), at: "yesterday" };
        await expect(store.transaction((tx) => tx.append(wrong))).rejects.toThrow();
        expect(await store.lastEvent()).toBe(0);
      });

      test("reads any event unchanged [S-62]", async () => {
        const texts = fc.string({ unit: "binary", maxLength: 50 });
        await fc.assert(
          fc.asyncProperty(texts, texts, async (session, task) => {
            const event = SkillEvent.parse({ type: "session.closed", at, session, task });
            const seq = await store.transaction((tx) => tx.append(event));
            expect(await store.eventsAfter(seq - 1, 1)).toEqual([{ seq, event }]);
          }),
          { numRuns: 50 },
        );
      });
    });

    describe("values", () => {
      test("both engines reject text they cannot store before writing [S-64]", async () => {
        for (const owner of hostileTexts) {
          const put = store.transaction((tx) => tx.putSkill(skill("pdf", { owner })));
          await expect(put).rejects.toMatchObject(usage);
        }
        expect(await store.listSkills()).toEqual([]);
      });

      test("does not find impossible keys [S-64]", async () => {
        for (const text of hostileTexts) {
          expect(await store.findSkill(text)).toBeUndefined();
          expect(await store.findRevision(text, 1)).toBeUndefined();
          expect(await store.listRevisions(text)).toEqual([]);
        }
        expect(await store.findRevision("uid", Number.NaN)).toBeUndefined();
        expect(await store.findRevision("uid", 2 ** 60)).toBeUndefined();
      });

      test("both engines reject an invalid limit [S-64]", async () => {
        await publish("pdf");
        for (const limit of [-1, 0.5, Number.NaN]) {
          for (const call of [
            store.listSkills({ limit }),
            store.listTrees({ limit }),
            store.eventsAfter(0, limit),
            store.auditAfter(0, limit),
          ])
            await expect(call).rejects.toMatchObject({ code: "USAGE" });
        }
        expect(await store.listSkills({ limit: 0 })).toEqual([]);
      });

      test("reads long text and all characters unchanged [S-64]", async () => {
        const long = "技能 ☃ 𝕏 ' \" \\ $1 ? \n\r\t\u0001\u007f\ufeff\uffff".repeat(40_000);
        await publish("pdf");
        await store.transaction((tx) => tx.putSkill(skill("pdf", { reason: long, missing: [long] })));
        expect(await store.findSkill("pdf")).toMatchObject({ reason: long, missing: [long] });
        expect((await store.listCurrent())[0]?.skill.reason).toBe(long);
      });
    });

    describe("the search index", () => {
      const bytes = (fill: number, size = 2_500_000) => new Uint8Array(size).fill(fill);
      const pieces = () =>
        withDb(url, (db) => db.all(sql`select hash from search_piece`, { parse: (row) => row }));

      test("is read by other processes as it was saved last, without older pieces [S-61] [S-73]", async () => {
        const other = await openRegistryStore(url);
        expect(await other.searchIndex.load()).toBeUndefined();
        await store.searchIndex.save(bytes(1));
        expect(await other.searchIndex.load()).toEqual(bytes(1));
        await store.searchIndex.save(new Uint8Array());
        const next = bytes(1);
        next[2_400_000] = 7;
        await other.searchIndex.save(next);
        expect(await store.searchIndex.load()).toEqual(next);
        // The first two pieces have the same content.
        expect(await pieces()).toHaveLength(2);
        await other.close();
      });

      test("is not read if a piece is damaged or missing, and can be saved again [S-61]", async () => {
        await store.searchIndex.save(bytes(1));
        const damage = (change: Sql) =>
          withDb(url, (db) => db.transaction((tx) => tx.run(sql`${change} where length(content) < 1000000`)));
        await damage(sql`update search_piece set content = ${bytes(2, 10)}`);
        expect(await store.searchIndex.load()).toBeUndefined();
        await store.searchIndex.save(bytes(1));
        expect(await store.searchIndex.load()).toEqual(bytes(1));
        await damage(sql`delete from search_piece`);
        expect(await store.searchIndex.load()).toBeUndefined();
        await store.searchIndex.save(bytes(1));
        expect(await store.searchIndex.load()).toEqual(bytes(1));
      });

      test("stays whole while two processes save [S-61] [S-73]", async () => {
        const other = await openRegistryStore(url);
        await Promise.all([store.searchIndex.save(bytes(1)), other.searchIndex.save(bytes(2))]);
        const loaded = await store.searchIndex.load();
        expect([bytes(1), bytes(2)].some((each) => Buffer.compare(each, loaded ?? each.slice(1)) === 0)).toBe(
          true,
        );
        await other.close();
      });
    });

    test("data persists after closing [S-64]", async () => {
      await publish("pdf");
      await store.transaction((tx) => tx.append(deleted("pdf")));
      await store.blobs.put([{ digest: digest("a"), bytes: Buffer.from("a") }]);
      await store.close();
      store = await openRegistryStore(url, { create: false });
      expect(await store.findSkill("pdf")).toEqual(skill("pdf"));
      expect(await store.lastEvent()).toBe(1);
      expect(Buffer.from(await store.blobs.get(digest("a"))).toString()).toBe("a");
    });
  });
}
