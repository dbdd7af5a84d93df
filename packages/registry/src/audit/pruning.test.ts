import { SkillEvent } from "@skillhold/protocol";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AuditRow } from "../record/registry-store.ts";
import { canonicalJson } from "./canonical-json.ts";
import { columnsOf, makeBodies, makeKey, makeLog, readerOf, type StoredLog } from "./memory-log.fixture.ts";
import { isPruned, planPruning, rejectDamaged } from "./pruning.ts";
import { verifyAudit } from "./verify.ts";

const ours = makeKey();
const SIZE = 40;
const by = { user: "ada", role: "admin" } as const;
const times = { before: "2026-01-01T00:00:25.000Z", now: "2026-01-02T00:00:00.000Z" };
const { log: pruned, ranges, whole } = makePruned();
const witnessed = [makeLog(makeBodies(SIZE), "skillhold/test", ours.signer).head?.note ?? ""];
const verify = (log: StoredLog) => verifyAudit(readerOf(log), { keys: [ours.trusted], witnessed });

describe("a plan", () => {
  test("has the old records of use, and no record of a change [S-62] [S-71]", () => {
    const types = pruned.rows.slice(0, SIZE).map(({ type }) => type);
    expect(types.slice(0, 25)).toEqual(
      Array.from({ length: 25 }, (_, index) => (index % 4 === 3 ? "skill.deleted" : "")),
    );
    expect(types.slice(25)).not.toContain("");
    expect(ranges.slice(0, 2)).toEqual([
      { first: 1, last: 3 },
      { first: 5, last: 7 },
    ]);
  });

  test("ends before the first entry that is not old, also after a clock that went back [S-62]", () => {
    const rows = at(["10", "11", "28", "12", "13"]);
    expect(planPruning(rows, times)).toEqual({ ranges: [{ first: 1, last: 2 }], count: 2, next: undefined });
  });

  test("takes an entry from the future as old as the next one [S-62]", () => {
    const rows = at(["10", "11", "12"]).map((row) =>
      row.seq === 2 ? { ...row, at: "2031-01-01T00:00:00.000Z" } : row,
    );
    expect(planPruning(rows, times).ranges).toEqual([{ first: 1, last: 3 }]);
    expect(planPruning(rows.slice(0, 2), times).ranges).toEqual([{ first: 1, last: 1 }]);
  });

  test("refuses entries that were changed, because pruning would hide it [S-62]", () => {
    const { rows } = makeLog(makeBodies(5), "skillhold/test");
    expect(() => rejectDamaged(rows)).not.toThrow();
    expect(() => rejectDamaged(rows.slice(2), rows[1]?.hash)).not.toThrow();
    const changed = rows.map((row) => (row.seq === 3 ? { ...row, body: `${row.body} ` } : row));
    expect(() => rejectDamaged(changed)).toThrow(/Entry 3/);
  });
});

describe("a pruned log", () => {
  test("is sound and matches checkpoints from before the pruning [S-62] [S-71]", async () => {
    expect(await verify(pruned)).toMatchObject({
      entries: SIZE + 1,
      isSound: true,
      isSigned: true,
      witnessed: 1,
      problems: [],
    });
  });

  test("is sound if an entry was read before it was pruned [S-62]", async () => {
    const before = { ...pruned, rows: pruned.rows.with(0, whole[0] as AuditRow) };
    expect(await verify(before)).toMatchObject({ isSound: true });
  });

  test("shows every edit of one value of an entry, pruned or not [S-62] [S-71]", async () => {
    const column = fc.constantFrom("at", "type", "skill", "session", "body", "hash");
    const text = fc.oneof(fc.constant(""), fc.string(), fc.constant("0".repeat(64)));
    await fc.assert(
      fc.asyncProperty(fc.nat(SIZE), column, text, async (index, name, value) => {
        const row = pruned.rows[index] as AuditRow;
        fc.pre((row[name] ?? "") !== value);
        const rows = pruned.rows.with(index, { ...row, [name]: value });
        expect((await verify({ ...pruned, rows })).isSound).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  test("shows every entry that was emptied outside the recorded ranges [S-62] [S-71]", async () => {
    for (const row of pruned.rows.filter((each) => !isPruned(each))) {
      const rows = pruned.rows.with(row.seq - 1, empty(row));
      const { problems } = await verify({ ...pruned, rows });
      expect(problems).toContainEqual(expect.objectContaining({ seq: row.seq, code: "entry-removed" }));
    }
  });

  test("shows another event in place of a pruned one [S-62]", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(SIZE - 1), fc.nat(SIZE - 1), async (index, from) => {
        fc.pre(isPruned(pruned.rows[index] as AuditRow) && index !== from);
        const other = makeBodies(SIZE)[from] ?? "";
        const row = { ...(pruned.rows[index] as AuditRow), ...columnsOf(other), body: other };
        const rows = pruned.rows.with(index, row);
        expect((await verify({ ...pruned, rows })).isSound).toBe(false);
      }),
    );
  });

  test("a record covers only entries before it [S-62]", async () => {
    const record = (last: number) =>
      canonicalJson(
        SkillEvent.parse({
          ...{ type: "audit.pruned", at: times.now, by, before: times.before, count: 1 },
          ranges: [{ first: 1, last }],
        }),
      );
    const bodies = [makeBodies(1)[0] ?? "", record(5), ...makeBodies(4).slice(1)];
    const { rows, head } = makeLog(bodies, "skillhold/test", ours.signer);
    const emptied = rows.map((row) => ([1, 4].includes(row.seq) ? empty(row) : row));
    const report = await verifyAudit(readerOf({ rows: emptied, head }), { keys: [ours.trusted] });
    expect(report.problems.map(({ code }) => code)).toEqual(["entry-removed", "entry-removed"]);
  });
});

function makePruned() {
  const bodies = makeBodies(SIZE);
  const plan = planPruning(makeLog(bodies, "skillhold/test").rows, times);
  const event = { type: "audit.pruned", at: times.now, by, before: times.before } as const;
  const record = SkillEvent.parse({ ...event, count: plan.count, ranges: plan.ranges });
  const log = makeLog([...bodies, canonicalJson(record)], "skillhold/test", ours.signer);
  const isIn = ({ seq }: AuditRow) => plan.ranges.some(({ first, last }) => seq >= first && seq <= last);
  const rows = log.rows.map((row) => (isIn(row) ? empty(row) : row));
  return { log: { ...log, rows }, ranges: plan.ranges, whole: log.rows };
}

function empty({ seq, hash }: AuditRow): AuditRow {
  return { seq, hash, at: "", type: "", skill: undefined, session: undefined, body: "" };
}

/** Records of use at these seconds. */
function at(seconds: readonly string[]): readonly AuditRow[] {
  const bodies = seconds.map((second) =>
    JSON.stringify({ type: "session.closed", at: `2026-01-01T00:00:${second}.000Z`, session: "s" }),
  );
  return makeLog(bodies, "skillhold/test").rows;
}
