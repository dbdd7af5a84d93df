import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AuditRow } from "../record/registry-store.ts";
import { makeBodies, makeKey, makeLog, readerOf, type StoredLog } from "./memory-log.fixture.ts";
import { type Tamper, tampers, type Victim } from "./tamper.fixture.ts";
import { verifyAudit } from "./verify.ts";

const ours = makeKey();
const keys = [ours.trusted];
const ORIGIN = "skillhold/test";
const SIZE = 60;
const bodies = makeBodies(SIZE);
const victim = makeVictim();
const witnessed = [...victim.past, victim.head].map(({ note }) => note ?? "");

describe("an intact log", () => {
  test("is sound at every length and matches its checkpoints [S-62]", async () => {
    for (let size = 0; size <= SIZE; size += 1) {
      const log = makeLog(bodies.slice(0, size), ORIGIN, ours.signer);
      const notes = victim.past.filter(({ seq }) => seq <= size).map(({ note }) => note ?? "");
      const report = await verifyAudit(readerOf(log), { keys, witnessed: notes });
      expect(report).toMatchObject({ entries: size, isSound: true, isSigned: size > 0, problems: [] });
      expect(report.witnessed).toBe(notes.length);
    }
  });

  test("is sound without a signature if no key is given [S-62]", async () => {
    const report = await verifyAudit(readerOf(makeLog(bodies, ORIGIN)), { keys: [] });
    expect(report).toMatchObject({ isSound: true, isSigned: false });
    const asked = await verifyAudit(readerOf(makeLog(bodies, ORIGIN)), { keys });
    expect(asked.problems).toMatchObject([{ code: "head-unsigned" }]);
  });

  test("is sound if it grows while it is read [S-62]", async () => {
    let size = 40;
    const reader = readerOf(victim);
    const growing = {
      auditAfter: async (seq: number, limit: number) =>
        (await reader.auditAfter(seq, limit)).filter((row) => row.seq <= size),
      auditKeys: reader.auditKeys,
      findHead: async () => {
        size = Math.min(SIZE, size + 7);
        return makeLog(bodies.slice(0, size), ORIGIN, ours.signer).head;
      },
    };
    expect(await verifyAudit(growing, { keys })).toMatchObject({
      entries: SIZE,
      isSound: true,
      isSigned: true,
    });
  });

  test("is read completely in pages [S-62]", async () => {
    const long = makeLog(makeBodies(2500), ORIGIN, ours.signer);
    expect(await verifyAudit(readerOf(long), { keys })).toMatchObject({ entries: 2500, isSound: true });
    const [last] = long.rows.slice(-1);
    const cut = { ...long, rows: long.rows.with(-1, { ...(last as AuditRow), type: "none" }) };
    expect((await verifyAudit(readerOf(cut), { keys })).problems).toMatchObject([{ seq: 2500 }]);
  });
});

describe("detects tampering [S-62]", () => {
  test.each(Object.entries(tampers))("by: %s", async (_, tamper) => {
    await fc.assert(
      fc.asyncProperty(fc.infiniteStream(fc.nat(1_000_000)), async (numbers) => {
        const log = applyTamper(tamper, numbers);
        const report = await verifyAudit(readerOf(log), { keys, witnessed });
        expect(report.isSound).toBe(false);
        expect(report.problems.length).toBeGreaterThan(0);
      }),
      { numRuns: 25 },
    );
  });

  test("and names the entry if it is known", async () => {
    const edited = victim.rows.with(11, { ...(victim.rows[11] as AuditRow), hash: "0".repeat(64) });
    const report = await verifyAudit(readerOf({ ...victim, rows: edited }), { keys, witnessed });
    expect(report.problems).toMatchObject([
      { seq: 12, code: "chain-broken" },
      { seq: 13, code: "chain-broken" },
      { code: "log-rewritten" },
      { code: "log-rewritten" },
      { code: "log-rewritten" },
      { code: "log-rewritten" },
      { code: "head-differs" },
      { code: "head-unsigned" },
    ]);
  });

  test("detects a reset to an earlier signed state only with witnessed checkpoints", async () => {
    const past = victim.past[1];
    const log = { rows: victim.rows.slice(0, past?.seq), head: past };
    expect(await verifyAudit(readerOf(log), { keys })).toMatchObject({ isSound: true });
    const report = await verifyAudit(readerOf(log), { keys, witnessed });
    expect(new Set(report.problems.map(({ code }) => code))).toEqual(new Set(["log-cut"]));
  });

  test("rejects checkpoints of another log or an unknown signer", async () => {
    const other = makeLog(bodies, "skillhold/other", ours.signer).head?.note ?? "";
    const report = await verifyAudit(readerOf(victim), { keys, witnessed: [other, "nonsense"] });
    expect(report.problems).toMatchObject([{ code: "note-unsigned" }, { code: "log-rewritten" }]);
  });

  test("counts all problems and lists the first ones", async () => {
    const long = makeLog(makeBodies(3000), ORIGIN, ours.signer);
    const rows = long.rows.map((row) => ({ ...row, type: "none" }));
    const report = await verifyAudit(readerOf({ ...long, rows }), { keys });
    expect(report).toMatchObject({ problemCount: 3000, isSound: false });
    expect(report.problems).toHaveLength(1000);
  });
});

function makeVictim(): Victim {
  const heads = [20, 33, 47].flatMap((size) => {
    const { head } = makeLog(bodies.slice(0, size), ORIGIN, ours.signer);
    return head ?? [];
  });
  const { rows, head } = makeLog(bodies, ORIGIN, ours.signer);
  if (head === undefined) throw new Error("The log has no head.");
  return { rows, head, past: heads };
}

function applyTamper(tamper: Tamper, numbers: Iterator<number>): StoredLog {
  return tamper(victim, (below) => (numbers.next().value ?? 0) % below);
}
