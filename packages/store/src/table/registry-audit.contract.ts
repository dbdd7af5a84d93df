import { hash } from "node:crypto";
import { SkillEvent } from "@skillhold/protocol";
import {
  canonicalJson,
  keyText,
  readCheckpoint,
  type SeenLogState,
  verifyAudit,
} from "@skillhold/registry/audit";
import type { RegistryStore } from "@skillhold/registry/record";
import { makeKey, makeLog } from "@skillhold/registry/test/audit/memory-log.fixture";
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
      });
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

      test("the head is signed after each append, and an unsigned writer is refused [S-62]", async () => {
        const { signer, trusted } = makeKey();
        const signing = await openRegistryStore(url, { signer });
        for (const size of [3, 5]) {
          await signing.transaction((tx) => tx.appendAll([deleted("a"), deleted("b")]));
          const head = await store.findHead();
          const root = naiveRoot((await rows()).map((row) => row.hash)).toString("hex");
          expect(readCheckpoint(head?.note ?? "", [trusted])).toEqual({ origin: head?.origin, size, root });
        }
        await signing.close();
        await expect(appendAll(deleted("c"))).rejects.toMatchObject({ code: "CONFIG_INVALID" });
        expect(await store.lastEvent()).toBe(5);
      });

      test("the first signer registers its key before its first event [S-62]", async () => {
        await appendAll(deleted("a"));
        const key = makeKey();
        const signing = await openRegistryStore(url, { signer: key.signer });
        expect(await signing.transaction((tx) => tx.append(deleted("b")))).toBe(3);
        await signing.close();
        expect(await store.auditKeys()).toMatchObject([
          { seq: 2, event: { change: "added", key: keyText(key.trusted.key) } },
        ]);
        expect(await verifyAudit(store, { keys: [key.trusted] })).toMatchObject({
          isSound: true,
          isSigned: true,
        });
      });

      describe("after an attacker with write access rewrote the log", () => {
        const key = makeKey();
        const memory = () => {
          let state: SeenLogState | undefined;
          const save = async (next: SeenLogState) => {
            state = next;
          };
          return { load: async () => state, save };
        };
        const open = (kept = memory()) => openRegistryStore(url, { signer: key.signer, memory: kept });
        const write = (to: RegistryStore, name: string) => to.transaction((tx) => tx.append(deleted(name)));
        /** Changes each body or drops it, and chains the log again, with a head without a note. */
        const rewrite = async (change: (body: string) => string | undefined) =>
          await replace((await rows()).flatMap(({ body }) => change(body) ?? []));
        const replace = async (bodies: readonly string[], note?: string) => {
          const { rows: forged, head } = makeLog(bodies, "unused");
          await withDb(url, (db) =>
            db.transaction(async (tx) => {
              await tx.run(sql`delete from event`);
              for (const { seq, at, type, skill, session, body, hash } of forged)
                await tx.run(sql`insert into event (seq, at, type, skill, session, body, hash)
                  values (${seq}, ${at}, ${type}, ${skill ?? null}, ${session ?? null}, ${body}, ${hash})`);
              await tx.run(sql`update audit_head set note = ${note ?? null}, seq = ${head?.seq ?? 0},
                hash = ${head?.hash ?? ""}, roots = ${JSON.stringify(head?.frontier.roots ?? [])}`);
            }),
          );
        };
        const edited = (body: string) => body.replace('"skill":"a"', '"skill":"z"');

        test("without a note: a gateway that is running refuses to sign it [S-62]", async () => {
          const gateway = await open();
          await write(gateway, "a");
          await rewrite(edited);
          await expect(write(gateway, "b")).rejects.toMatchObject({ code: "INTEGRITY_FAILED" });
          await gateway.close();
        });

        test("without a note: a new process refuses, even without memory [S-62]", async () => {
          const gateway = await open();
          await write(gateway, "a");
          await gateway.close();
          await rewrite(edited);
          const next = await open();
          await expect(write(next, "b")).rejects.toMatchObject({ code: "INTEGRITY_FAILED" });
          await next.close();
          expect(await verifyAudit(store, { keys: [key.trusted] })).toMatchObject({ isSound: false });
        });

        test("without a note and without its keys: a new process with memory refuses [S-62]", async () => {
          const kept = memory();
          const gateway = await open(kept);
          await write(gateway, "a");
          await gateway.close();
          await rewrite((body) => (body.includes("audit.key_changed") ? undefined : edited(body)));
          const next = await open(kept);
          await expect(write(next, "b")).rejects.toMatchObject({ code: "INTEGRITY_FAILED" });
          await next.close();
        });

        test("and signed it with a key of its own: refused, because no key endorsed it [S-62]", async () => {
          const gateway = await open();
          await write(gateway, "a");
          const stranger = makeKey();
          const change = { type: "audit.key_changed", at, change: "added", by: { user: "x", role: "admin" } };
          const added = canonicalJson({ ...change, key: keyText(stranger.trusted.key) });
          const bodies = [...(await rows()).map(({ body }) => edited(body)), added];
          const origin = (await store.findHead())?.origin ?? "";
          await replace(bodies, makeLog(bodies, origin, stranger.signer).head?.note);
          await expect(write(gateway, "b")).rejects.toMatchObject({ code: "INTEGRITY_FAILED" });
          await gateway.close();
          const next = await open();
          await expect(write(next, "b")).rejects.toMatchObject({ code: "CONFIG_INVALID" });
          await next.close();
          const report = await verifyAudit(store, { keys: [key.trusted] });
          // The attacker did not fill the columns of agents and people.
          const codes = report.problems.map(({ code }) => code).filter((code) => code !== "entry-changed");
          expect(codes).toEqual(["key-unendorsed", "head-unsigned"]);
        });

        test("a reset to an earlier signed state is refused with memory [S-62]", async () => {
          const kept = memory();
          const gateway = await open(kept);
          await write(gateway, "a");
          const early = await store.findHead();
          await write(gateway, "b");
          await gateway.close();
          await execute(
            url,
            `delete from event where seq > 2; update audit_head set seq = 2, hash = '${early?.hash}',
             roots = '${JSON.stringify(early?.frontier.roots)}', note = '${early?.note}'`,
          );
          const next = await open(kept);
          await expect(write(next, "c")).rejects.toMatchObject({ code: "INTEGRITY_FAILED" });
          await next.close();
          const adopting = await openRegistryStore(url, { signer: key.signer });
          await adopting.transaction((tx) => tx.adoptLog(at));
          await write(adopting, "d");
          await adopting.close();
          expect(await verifyAudit(store, { keys: [key.trusted] })).toMatchObject({ isSound: true });
        });
      });

      test("two writers with a key each verify cleanly, and a third is refused [S-62]", async () => {
        const [one, two, three] = [makeKey(), makeKey(), makeKey()];
        const first = await openRegistryStore(url, { signer: one.signer });
        const second = await openRegistryStore(url, { signer: two.signer });
        const third = await openRegistryStore(url, { signer: three.signer });
        const write = (to: RegistryStore, name: string) => to.transaction((tx) => tx.append(deleted(name)));
        await write(first, "a");
        await expect(write(second, "b")).rejects.toMatchObject({
          code: "CONFIG_INVALID",
          hint: expect.stringContaining("skillhold audit trust ed25519:"),
        });
        const change = { at, by: { user: "ada", role: "admin" }, key: keyText(two.trusted.key) } as const;
        await first.transaction((tx) => tx.changeAuditKey({ ...change, change: "added" }));
        for (const name of ["c", "d", "e"]) {
          await write(second, name);
          await write(first, name);
        }
        await expect(write(third, "f")).rejects.toMatchObject({ code: "CONFIG_INVALID" });
        for (const keys of [[one.trusted], [two.trusted], [one.trusted, three.trusted]])
          expect(await verifyAudit(store, { keys })).toMatchObject({ isSound: true, isSigned: true });
        const foreign = await verifyAudit(store, { keys: [three.trusted] });
        expect(foreign.problems).toMatchObject([{ code: "key-unregistered" }, { code: "head-unsigned" }]);
        await first.transaction((tx) => tx.changeAuditKey({ ...change, change: "revoked" }));
        await expect(write(second, "g")).rejects.toMatchObject({ code: "CONFIG_INVALID" });
        expect(await verifyAudit(store, { keys: [two.trusted] })).toMatchObject({ isSound: true });
        await Promise.all([first.close(), second.close(), third.close()]);
      });

      test("checkpoints follow events of every kind, by number, by time and at the end [S-62]", async () => {
        const notes: string[] = [];
        const sizes = () => notes.map((note) => note.split("\n")[1]);
        let ring = () => {};
        const after = (_: number, callback: () => void) => {
          ring = callback;
          return () => {};
        };
        const witness = async (note: string) => void notes.push(note);
        const signing = await openRegistryStore(url, {
          signer: makeKey().signer,
          checkpoints: { witnesses: [witness], everyEvents: 3, timers: { after } },
        });
        const write = (...names: readonly string[]) =>
          signing.transaction((tx) => tx.appendAll(names.map((name) => deleted(name))));
        await write("a");
        expect(sizes()).toEqual([]);
        await write("b");
        await expect.poll(sizes).toEqual(["3"]);
        await write("c");
        ring();
        await expect.poll(sizes).toEqual(["3", "4"]);
        await write("d");
        await signing.close();
        expect(sizes()).toEqual(["3", "4", "5"]);
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
        "agent = 'another'",
        "person = 'another'",
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
