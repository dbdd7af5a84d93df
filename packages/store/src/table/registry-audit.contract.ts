import { generateKeyPairSync, hash } from "node:crypto";
import { SkillEvent } from "@skillhold/protocol";
import { readCheckpoint } from "@skillhold/registry/audit";
import type { RegistryStore } from "@skillhold/registry/record";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { sql } from "../engine/sql.ts";
import { migrate } from "./migration.ts";
import { migrations } from "./migration-table.ts";
import { execute, withDb } from "./raw-registry.fixture.ts";
import { at, deleted, inSession } from "./registry.fixture.ts";
import { inProcess } from "./registry-process.fixture.ts";
import { openRegistryStore } from "./registry-store.ts";

const bent = { code: "INTEGRITY_FAILED", hint: expect.stringContaining("skillhold audit verify") };
const sha256 = (...parts: readonly (string | Uint8Array)[]) =>
  hash("sha256", Buffer.concat(parts.map((part) => Buffer.from(part))), "buffer");

/** The contract of every registry store for its event log. */
export function registryAuditContract(engine: string, freshUrl: () => Promise<string>): void {
  describe(`the event log on ${engine}`, () => {
    let url: string;
    let store: RegistryStore;
    beforeEach(async () => {
      url = await freshUrl();
      store = await openRegistryStore(url);
    });
    afterEach(() => store.close());

    const appendAll = (...events: readonly SkillEvent[]) => store.transaction((tx) => tx.appendAll(events));
    const rows = () => store.auditAfter(0, 100_000);

    describe("appending", () => {
      test("numbers several events in order and returns the last number for an empty list [S-62]", async () => {
        expect([await appendAll(), await store.findHead()]).toEqual([0, undefined]);
        expect(await appendAll(deleted("a"), deleted("b"), deleted("c"))).toBe(3);
        expect(await store.transaction((tx) => tx.append(deleted("d")))).toBe(4);
        expect(await appendAll()).toBe(4);
        const events = await store.eventsAfter(0, 10);
        expect(events.map(({ seq, event }) => [seq, "skill" in event && event.skill])).toEqual([
          [1, "a"],
          [2, "b"],
          [3, "c"],
          [4, "d"],
        ]);
      });

      test("a transaction may append several times and many events at once [S-62]", async () => {
        const many = Array.from({ length: 1203 }, (_, index) => deleted("a", index + 1));
        const numbers = await store.transaction(async (tx) => [
          await tx.append(deleted("b")),
          await tx.appendAll(many),
          (await tx.findHead())?.seq,
        ]);
        expect(numbers).toEqual([1, 1204, 1204]);
        expect((await store.eventsAfter(1, 2000)).map(({ event }) => event)).toEqual(many);
        expect(await store.listBrokenEvents()).toEqual([]);
      });

      test("one invalid event rejects the whole batch [S-62]", async () => {
        await expect(appendAll(deleted("a"), { ...deleted("b"), at: "yesterday" })).rejects.toThrow();
        expect([await store.lastEvent(), await store.findHead()]).toEqual([0, undefined]);
      });

      test("a rollback leaves the head unchanged [S-62]", async () => {
        await appendAll(deleted("a"));
        const head = await store.findHead();
        const undone = store.transaction(async (tx) => {
          await tx.append(deleted("b"));
          throw new Error("no");
        });
        await expect(undone).rejects.toThrow("no");
        expect(await store.findHead()).toEqual(head);
        expect(await appendAll(deleted("c"))).toBe(2);
      });

      test("the head has the root over all hashes for any batches [S-62]", async () => {
        const batch = fc.array(fc.string({ unit: "binary", maxLength: 20 }), { minLength: 1, maxLength: 9 });
        await fc.assert(
          fc.asyncProperty(batch, async (tasks) => {
            await appendAll(...tasks.map((task) => inSession("s", task)));
            await expectSound(store);
          }),
          { numRuns: 15 },
        );
      });

      test("several processes share one chain and one head [S-62]", async () => {
        const code = `
          const ends = [];
          for (let count = 1; count <= 12; count += 1) {
            const events = Array.from({ length: count }, (_, i) => fixture.inSession(args[0], count + "." + i));
            ends.push(await store.transaction((tx) => tx.appendAll(events)));
          }
          return ends;`;
        const ends = await Promise.all(["p", "q", "r"].map((name) => inProcess(url, code, name)));
        expect(await store.lastEvent()).toBe(3 * 78);
        await expectSound(store);
        for (const [index, name] of ["p", "q", "r"].entries()) {
          const events = await store.eventsOfSession(name);
          const tasks = Array.from({ length: 12 }, (_, c) =>
            Array.from({ length: c + 1 }, (_each, i) => `${c + 1}.${i}`),
          );
          expect(events.map(({ event }) => "task" in event && event.task)).toEqual(tasks.flat());
          // Events that were appended together are adjacent.
          const expected = z.array(z.int()).parse(ends[index]);
          const last = tasks.map((_, c) => events[((c + 1) * (c + 2)) / 2 - 1]?.seq);
          const first = tasks.map((_, c) => events[(c * (c + 1)) / 2]?.seq);
          expect([last, first]).toEqual([expected, expected.map((end, c) => end - c)]);
        }
      }, 120_000);
    });

    describe("the head", () => {
      test("each store has a random, permanent origin [S-62]", async () => {
        await appendAll(deleted("a"));
        const origin = (await store.findHead())?.origin;
        expect(origin).toMatch(/^skillhold\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
        await store.close();
        store = await openRegistryStore(url);
        await appendAll(deleted("b"));
        expect((await store.findHead())?.origin).toBe(origin);
        const other = await openRegistryStore(await freshUrl());
        await other.transaction((tx) => tx.append(deleted("a")));
        expect((await other.findHead())?.origin).not.toBe(origin);
        await other.close();
      });

      test("the head is signed by the last writer if it has a key [S-62]", async () => {
        const { privateKey, publicKey } = generateKeyPairSync("ed25519");
        const keys = [{ name: "log", key: publicKey }];
        const signing = await openRegistryStore(url, { signer: { name: "log", key: privateKey } });
        for (const size of [2, 4]) {
          await signing.transaction((tx) => tx.appendAll([deleted("a"), deleted("b")]));
          const head = await store.findHead();
          const root = naiveRoot((await rows()).map((row) => row.hash)).toString("hex");
          expect(readCheckpoint(head?.note ?? "", keys)).toEqual({ origin: head?.origin, size, root });
        }
        await signing.close();
        await appendAll(deleted("c"));
        expect(await store.findHead()).toMatchObject({ seq: 5, note: undefined });
      });

      test("does not sign a log that was rewritten with valid hashes [S-62]", async () => {
        const { privateKey } = generateKeyPairSync("ed25519");
        const signing = await openRegistryStore(url, { signer: { name: "log", key: privateKey } });
        await signing.transaction((tx) => tx.appendAll([deleted("a"), deleted("b")]));
        const signed = (await store.findHead())?.note ?? "";
        await appendAll(deleted("c"));
        await execute(url, `update audit_head set note = '${signed}'`);
        await expect(signing.transaction((tx) => tx.append(deleted("d")))).rejects.toMatchObject(bent);
        await signing.close();
      });

      test.each([
        ["the last event is missing", "delete from event where seq = 3"],
        ["all events are missing", "delete from event"],
        [
          "an event was added after the last one",
          `insert into event (seq, at, type, body, hash)
          select 4, at, type, body, hash from event where seq = 3`,
        ],
        ["the last hash differs", `update event set hash = '${"0".repeat(64)}' where seq = 3`],
        ["the head is missing", "delete from audit_head"],
        [
          "the head is outdated",
          "update audit_head set seq = 2, hash = (select hash from event where seq = 2)",
        ],
        ["the head has another hash", `update audit_head set hash = '${"0".repeat(64)}'`],
      ])("rejects new events and fsck reports it if %s [S-62]", async (_, change) => {
        await appendAll(deleted("a"), deleted("b"), deleted("c"));
        await execute(url, change);
        const left = await rows();
        await expect(appendAll(deleted("d"))).rejects.toMatchObject(bent);
        expect(await rows()).toEqual(left);
        expect(await store.listBrokenEvents()).not.toEqual([]);
      });

      test.each(["[]", '["x"]', "{", `["${"0".repeat(64)}"]`])(
        "rejects new events if its roots are %s [S-62]",
        async (roots) => {
          await appendAll(deleted("a"), deleted("b"), deleted("c"));
          await execute(url, `update audit_head set roots = '${roots}'`);
          await expect(appendAll(deleted("d"))).rejects.toMatchObject({ code: "INTEGRITY_FAILED" });
          expect([await store.lastEvent(), await store.listBrokenEvents()]).toEqual([3, []]);
        },
      );
    });

    describe("reading", () => {
      test("reads raw rows, including damaged ones [S-62]", async () => {
        await appendAll(deleted("a"), inSession("s"));
        const [first, second] = await rows();
        const body = `{"at":"${at}","session":"s","task":"none","type":"session.closed"}`;
        expect(first).toMatchObject({ seq: 1, at, type: "skill.deleted", skill: "a", session: undefined });
        expect(second).toEqual({
          ...{ seq: 2, at, type: "session.closed", skill: undefined, session: "s", body },
          hash: sha256(first?.hash ?? "", body).toString("hex"),
        });
        expect(await store.auditAfter(1, 10)).toEqual([second]);
        expect(await store.auditAfter(0, 1)).toEqual([first]);
        await execute(url, "update event set body = '{', type = 'x' where seq = 1");
        expect(await rows()).toEqual([{ ...first, body: "{", type: "x" }, second]);
      });

      test.each([
        "at = '2020-01-01T00:00:00.000Z'",
        "type = 'session.opened'",
        "skill = 'b'",
        "session = null",
      ])("finds a column that differs from the body: %s [S-62]", async (change) => {
        await appendAll(deleted("a"), inSession("s"), deleted("c"));
        await execute(url, `update event set ${change} where seq = 2`);
        expect(await store.listBrokenEvents()).toEqual([2]);
      });

      test("finds the events of a session by its exact name [S-62]", async () => {
        const names = ["s", "s\0", "s\ufffd", "s\ud800", "S", ""];
        for (const task of ["1", "2"]) {
          await appendAll(...names.map((name) => inSession(name, task)), deleted("a"));
        }
        for (const name of names) {
          const events = (await store.eventsOfSession(name)).map(({ event }) => event);
          expect(events).toEqual([inSession(name, "1"), inSession(name, "2")]);
        }
        expect(await store.eventsOfSession("unknown")).toEqual([]);
        expect(await store.listBrokenEvents()).toEqual([]);
      });

      test("records denied requests with any name [S-62]", async () => {
        const why = { act: "activate", reason: "SKILL_NOT_FOUND", message: "There is none." };
        const events = ["a\0b", "\ud800"].map((skill) =>
          SkillEvent.parse({ type: "skill.denied", at, session: "s", skill, ...why }),
        );
        await appendAll(...events);
        expect((await store.eventsAfter(0, 10)).map(({ event }) => event)).toEqual(events);
        expect(await store.listBrokenEvents()).toEqual([]);
      });
    });

    describe("a log from before heads existed", () => {
      /** Opens a registry without heads whose events have these hashes, or valid ones. */
      async function openOld(
        events: readonly SkillEvent[],
        hashes: Readonly<Record<number, string>> = {},
      ): Promise<void> {
        await store.close();
        url = await freshUrl();
        await withDb(url, async (db) => {
          await migrate(db, { now: () => new Date(0) }, migrations.slice(0, 1));
          let last = "0".repeat(64);
          await db.transaction(async (tx) => {
            for (const [index, event] of events.entries()) {
              // The events are flat, so that a list of keys orders all of them.
              const body = JSON.stringify(event, Object.keys(event).toSorted());
              last = hashes[index + 1] ?? sha256(last, body).toString("hex");
              const skill = "skill" in event ? event.skill : null;
              await tx.run(sql`insert into event (seq, at, type, skill, body, hash)
                values (${index + 1}, ${event.at}, ${event.type}, ${skill}, ${body}, ${last})`);
            }
          });
        });
        store = await openRegistryStore(url);
      }
      const events = Array.from({ length: 1100 }, (_, index) => inSession(`s\0${index % 7}`, `${index}`));

      test("gets a head and session columns, and accepts events [S-62]", async () => {
        await openOld(events);
        expect(await store.findHead()).toMatchObject({ seq: 1100, note: undefined });
        expect(await store.eventsOfSession("s\u00003")).toHaveLength(157);
        expect(await appendAll(inSession("s\u00003"))).toBe(1101);
        expect(await store.eventsOfSession("s\u00003")).toHaveLength(158);
        await expectSound(store);
      });

      test("that is empty gets an empty head [S-62]", async () => {
        await openOld([]);
        expect(await store.findHead()).toBeUndefined();
        await appendAll(deleted("a"));
        await expectSound(store);
      });

      test("that was changed can be read but accepts no events [S-62]", async () => {
        await openOld(events.slice(0, 5), { 3: "f".repeat(64) });
        expect(await store.findHead()).toMatchObject({ seq: 2, frontier: { size: 2 } });
        expect(await store.eventsAfter(0, 10)).toHaveLength(5);
        await expect(appendAll(deleted("a"))).rejects.toMatchObject(bent);
        expect(await store.listBrokenEvents()).toEqual([3, 4, 5]);
      });
    });
  });
}

/** Verifies chain and head with an independent implementation. */
async function expectSound(store: RegistryStore): Promise<void> {
  const rows = await store.auditAfter(0, 100_000);
  let last = "0".repeat(64);
  for (const [index, row] of rows.entries()) {
    last = sha256(last, row.body).toString("hex");
    expect([row.seq, row.hash]).toEqual([index + 1, last]);
  }
  const head = await store.findHead();
  expect(head).toMatchObject({ seq: rows.length, hash: last, frontier: { size: rows.length } });
  const root = naiveRoot(rows.map(({ hash: entry }) => entry));
  expect(rootOfRoots(head?.frontier.roots ?? []).toString("hex")).toBe(root.toString("hex"));
  expect(await store.listBrokenEvents()).toEqual([]);
}

/** RFC 6962: the left half is the largest power of two below the size. */
function naiveRoot(entries: readonly string[]): Buffer {
  const [only = ""] = entries;
  if (entries.length <= 1) return sha256(Uint8Array.of(0), only);
  let half = 1;
  while (half * 2 < entries.length) half *= 2;
  return sha256(Uint8Array.of(1), naiveRoot(entries.slice(0, half)), naiveRoot(entries.slice(half)));
}

function rootOfRoots(roots: readonly string[]): Buffer {
  const [first = "", ...rest] = roots;
  const left = Buffer.from(first, "hex");
  return rest.length === 0 ? left : sha256(Uint8Array.of(1), left, rootOfRoots(rest));
}
