import { SkillEvent } from "@skillhold/protocol";
import type { EventQuery, RegistryStore } from "@skillhold/registry/record";
import { makeKey } from "@skillhold/registry/test/audit/memory-log.fixture";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { sql } from "../engine/sql.ts";
import { queryAbout } from "./event-table.ts";
import { migrate } from "./migration.ts";
import { migrations } from "./migration-table.ts";
import { withDb } from "./raw-registry.fixture.ts";
import { openRegistryStore } from "./registry-store.ts";

/** The contract of every registry store for filters of events and for kept outputs. */
export function registryEventContract(engine: string, freshUrl: () => Promise<string>): void {
  describe(`the list of events on ${engine}`, () => {
    let url: string;
    let store: RegistryStore;
    beforeEach(async () => {
      url = await freshUrl();
      store = await openRegistryStore(url);
    });
    afterEach(() => store.close());
    const appendAll = (...events: readonly SkillEvent[]) => store.transaction((tx) => tx.appendAll(events));

    const on = (day: number) => `2026-11-0${day}T10:00:00.000Z`;
    const parse = (fields: object) => SkillEvent.parse(fields);
    const opened = (session: string, agent: string | undefined, user: string) =>
      parse({ type: "session.opened", at: on(1), session, runtime: "demo", agent, user });
    const closed = (session: string, day: number) => parse({ type: "session.closed", at: on(day), session });
    const removed = (id: string, day: number, user: string) =>
      parse({ type: "skill.deleted", at: on(day), skill: id, revision: 1, by: { user, role: "admin" } });
    const list = async (query: Partial<EventQuery>) =>
      (await store.listEvents({ order: "oldest", limit: 100, ...query })).map(({ seq }) => seq);
    const log = [
      opened("s1", "writer", "ada"),
      opened("s2", undefined, "bob"),
      removed("pdf", 2, "ada"),
      closed("s1", 5),
      closed("s2", 4),
      removed("docx", 3, "bob"),
    ];
    beforeEach(async () => {
      await appendAll(...log.slice(0, 3));
      await appendAll(...log.slice(3));
    });

    test("an event in a session has the agent and the person of the session [S-59] [S-62]", async () => {
      expect(await list({ agent: "writer" })).toEqual([1, 4]);
      expect(await list({ person: "ada" })).toEqual([1, 3, 4]);
      expect(await list({ person: "bob", order: "newest" })).toEqual([6, 5, 2]);
      expect((await store.listEvents({ order: "newest", limit: 1, agent: "writer" }))[0]).toMatchObject({
        seq: 4,
        agent: "writer",
        person: "ada",
      });
      expect(await list({ agent: "a\0b" })).toEqual([]);
      expect(await list({ agent: "writer", types: ["session.opened", "session.closed"] })).toEqual(
        (await store.listEvents({ order: "oldest", limit: 100, agent: "writer" }))
          .filter(({ event }) => event.type.startsWith("session."))
          .map(({ seq }) => seq),
      );
    });

    test("events have the actor of their session for any batches of two gateways, rolled back or not [S-59]", async () => {
      const fresh = await freshUrl();
      const { signer } = makeKey();
      const gateways = [
        await openRegistryStore(fresh, { signer }),
        await openRegistryStore(fresh, { signer }),
      ];
      const session = fc.constantFrom("a", "b", "__proto__", "7", "n\0l", "\ud800");
      const user = fc.option(fc.constantFrom("ada", "bob"), { nil: undefined });
      const batch = fc.array(fc.record({ session, user }), { minLength: 1, maxLength: 3 });
      const transaction = fc.record({
        gateway: fc.constantFrom(...gateways),
        isCommitted: fc.boolean(),
        batches: fc.array(batch, { minLength: 1, maxLength: 2 }),
      });
      let run = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(transaction, { maxLength: 12 }), async (transactions) => {
          run += 1;
          const start = (await gateways[0]?.lastEvent()) ?? 0;
          const firsts = new Map<string, string | undefined>();
          const expected: (string | undefined)[] = [];
          for (const { gateway, isCommitted, batches } of transactions) {
            const work = gateway.transaction(async (tx) => {
              for (const each of batches)
                await tx.appendAll(
                  each.map(({ session: name, user: by }) =>
                    by === undefined ? closed(`${run} ${name}`, 1) : opened(`${run} ${name}`, undefined, by),
                  ),
                );
              if (!isCommitted) throw new Error("undone");
            });
            await (isCommitted ? work : expect(work).rejects.toThrow("undone"));
            for (const each of isCommitted ? batches : []) {
              const openers = new Map(each.flatMap((one) => (one.user ? [[one.session, one.user]] : [])));
              const actors = each.map(
                (one) => one.user ?? openers.get(one.session) ?? firsts.get(one.session),
              );
              expected.push(...actors);
              for (const [index, one] of each.entries())
                if (!firsts.has(one.session)) firsts.set(one.session, actors[index]);
            }
          }
          const rows = (await gateways[0]?.auditAfter(start, 1000)) ?? [];
          const ofSessions = rows.filter(({ session: name }) => name !== undefined);
          expect(ofSessions.map(({ person }) => person)).toEqual(expected);
        }),
        { numRuns: 20 },
      );
      expect(await gateways[0]?.listBrokenEvents()).toEqual([]);
      for (const gateway of gateways) await gateway.close();
    });

    test("a period includes its start and not its end, in any order of the clocks [S-59]", async () => {
      expect(await list({ from: on(3), to: on(5) })).toEqual([5, 6]);
      expect(await list({ from: on(4) })).toEqual([4, 5]);
      expect(await list({ to: on(2) })).toEqual([1, 2]);
      expect(await list({ from: on(6) })).toEqual([]);
      expect(await list({ from: on(2), person: "ada", order: "newest" })).toEqual([4, 3]);
    });

    test("several types are one ordered page, alone and with other filters [S-59]", async () => {
      const types = ["skill.deleted", "session.closed"];
      expect(await list({ types })).toEqual([3, 4, 5, 6]);
      expect(await list({ types, order: "newest", limit: 3 })).toEqual([6, 5, 4]);
      expect(await list({ types, after: 3, limit: 2 })).toEqual([4, 5]);
      expect(await list({ types, from: on(4) })).toEqual([4, 5]);
      expect(await list({ types, person: "bob" })).toEqual([5, 6]);
    });

    test("a log from before the columns existed gets them [S-59]", async () => {
      const rows = await store.auditAfter(0, 100);
      await store.close();
      url = await freshUrl();
      const before = migrations.findIndex(({ name }) => name.startsWith("events by actor"));
      await withDb(url, async (db) => {
        await migrate(db, { now: () => new Date(0) }, migrations.slice(0, before));
        await db.transaction(async (tx) => {
          for (const { seq, at: when, type, skill, session, body, hash: link } of rows)
            await tx.run(sql`insert into event (seq, at, type, skill, session, body, hash)
              values (${seq}, ${when}, ${type}, ${skill ?? null}, ${session ?? null}, ${body}, ${link})`);
        });
      });
      store = await openRegistryStore(url);
      expect(await list({ agent: "writer" })).toEqual([1, 4]);
      expect(await list({ person: "bob" })).toEqual([2, 5, 6]);
    });

    test("the newest events about a skill are read without the events of other skills [S-17] [S-62]", async () => {
      await appendAll(...Array.from({ length: 1000 }, (_, index) => removed(`skill-${index}`, 2, "ada")));
      const query = queryAbout("skill-7", "skill.deleted", 100);
      const isSqlite = url.startsWith("sqlite:");
      const explain = isSqlite ? sql`explain query plan ${query}` : sql`explain ${query}`;
      const plan = await withDb(url, (db) => db.all(explain, z.looseObject({})));
      // Of a skill with few events, PostgreSQL may as well filter the types itself.
      expect(JSON.stringify(plan)).toMatch(/event_skill(?:_type)?\b.*skill ?= ?/);
      expect((await store.eventsAbout("skill-7", "skill.deleted", 100)).map(({ seq }) => seq)).toEqual([14]);
    });

    test("counts loads, runs and tool calls by agent and skill since a moment [S-59]", async () => {
      const hash = `sha256:${"a".repeat(64)}`;
      const loaded = (session: string, skill: string, day: number) =>
        parse({
          ...{ type: "skill.activated", at: on(day), session, skill, hash, skillHash: hash },
          ...{ source: "registry", trust: "org", invoker: "model" },
        });
      await appendAll(
        loaded("s1", "pdf", 2),
        loaded("s1", "pdf", 4),
        loaded("s1", "docx", 5),
        loaded("s2", "pdf", 5),
      );
      expect(await store.countUses(on(3))).toEqual([
        { agent: "writer", skill: "docx", count: 1 },
        { agent: "writer", skill: "pdf", count: 1 },
      ]);
    });

    test("outputs of runs are kept once per run until they are pruned [S-59] [S-71]", async () => {
      const output = (run: string, day: string) => ({
        ...{ run, session: "s\0", at: `2026-${day}T10:00:00.000Z`, input: "in", result: undefined },
        ...{ stdout: `out of ${run}`, stderr: "\0" },
      });
      const put = (run: string, day: string) => store.transaction((tx) => tx.putRunOutput(output(run, day)));
      await put("r1", "11-01");
      await put("r2", "11-02");
      await put("r2", "11-03");
      expect(await store.listRunOutputs("s\0")).toMatchObject([
        { run: "r1", input: "in", stdout: "out of r1", stderr: "\ufffd" },
        { run: "r2", at: "2026-11-02T10:00:00.000Z" },
      ]);
      await put("r3", "12-02");
      const prune = () => store.transaction((tx) => tx.pruneRunOutputs("2026-11-02T10:00:00.000Z"));
      expect([await prune(), await prune()]).toEqual([1, 0]);
      expect((await store.listRunOutputs("s\0")).map(({ run }) => run)).toEqual(["r2", "r3"]);
      expect(await store.listRunOutputs("other")).toEqual([]);
    });
  });
}
