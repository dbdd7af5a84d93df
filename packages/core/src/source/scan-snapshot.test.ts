import { crc32 } from "node:zlib";
import type { Digest } from "@skillhold/protocol";
import { defaultLimits, withLimits } from "@skillhold/protocol/limits";
import fc from "fast-check";
import { expect, test } from "vitest";
import { makeEntry, toEntry } from "./entry.ts";
import { factsOf, type SkillRecord, usual } from "./record.ts";
import type { SourceScan } from "./scan.ts";
import { FolderRow } from "./scan-row.ts";
import { decodeScan, encodeScan } from "./scan-snapshot.ts";

const host = { platform: "linux", hasEnv: () => false, hasBin: () => false, hasConfig: () => false };
const text = fc.string({ unit: "binary", maxLength: 12 });
const texts = fc.array(text, { maxLength: 2 });
const anyRequired = fc.record({
  name: text,
  description: text,
  skillHash: fc.constant("sha256:00" as Digest),
  type: fc.constantFrom("context" as const, "hybrid" as const, "tool" as const),
  isValid: fc.boolean(),
  diagnostics: fc.array(
    fc.record({
      code: text,
      severity: fc.constant("warning" as const),
      line: fc.nat(),
      column: fc.nat(),
      message: text,
      fix: text,
    }),
    { maxLength: 1 },
  ),
  bodyTokens: fc.nat(),
  runtime: fc.oneof(fc.constant(["*"]), texts),
  tags: texts,
  requires: fc.record({ env: texts, bins: texts, anyBins: texts, config: texts }),
  requiresSkills: texts,
  os: fc.constantFrom([], ["darwin"], ["linux"]),
  invocation: fc.record({ model: fc.boolean(), user: fc.boolean() }),
  metadata: fc.dictionary(text, fc.oneof(text, texts), { maxKeys: 2 }),
});
const anyOptional = fc.record({ version: text, license: text, allowedTools: texts }, { requiredKeys: [] });
const anyRecord: fc.Arbitrary<SkillRecord> = fc
  .tuple(anyRequired, anyOptional)
  .map(([required, optional]) => ({ ...required, ...optional }));

function scanOf(records: readonly SkillRecord[]): SourceScan {
  const rows = records.map((record, index) => {
    const stamp = { mtimeMs: index + 0.25, ctimeMs: index + 0.5, size: index, ino: 2 ** 40 + index };
    return new FolderRow(`näme/skill-${index}`, index === 1 ? "skill.md" : "SKILL.md", {
      stamp,
      facts: factsOf(record),
      isValid: record.isValid,
    });
  });
  return { root: "/root", rows, containers: [{ path: ".", changedMs: 1.5 }], problems: [], searchedMs: 7 };
}

function shown(row: FolderRow) {
  const { path, file, isValid, mtimeMs, ctimeMs, size, ino, lastModified, facts, factsText } = row;
  const found = { id: "a", source: "s", trust: "user", path, file, lastModified } as const;
  const entry = makeEntry(facts, found, host);
  return { path, file, isValid, mtimeMs, ctimeMs, size, ino, factsText, entry: JSON.stringify(entry) };
}

test("a snapshot gives back every row, read one by one or all together [S-17]", () => {
  fc.assert(
    fc.property(fc.array(anyRecord, { maxLength: 40 }), (records) => {
      const scan = scanOf(records);
      const decoded = decodeScan(encodeScan(scan, defaultLimits), defaultLimits);
      expect(decoded?.rows.map(shown)).toEqual(scan.rows.map(shown));
      // From the last to the first, and written again without being read.
      const again = decodeScan(encodeScan(decoded ?? scan, defaultLimits), defaultLimits);
      expect(again?.rows.toReversed().map(shown)).toEqual(scan.rows.toReversed().map(shown));
    }),
    { numRuns: 50 },
  );
});

test("an entry has the values of its record [S-16]", () => {
  fc.assert(
    fc.property(anyRecord, (record) => {
      const found = {
        id: "a",
        source: "s",
        trust: "user",
        path: "/p",
        file: "SKILL.md",
        mtimeMs: 0,
      } as const;
      const { os: _, isValid: __, ...said } = record;
      expect(toEntry(record, found, host)).toMatchObject(said);
    }),
  );
});

test.each([
  [-1e20, "1970-01-01T00:00:00.000Z"],
  [1e20, "9999-12-31T23:59:59.999Z"],
])("a disk's time of %d is shown as the closest date [S-16]", (mtimeMs, lastModified) => {
  const record = { ...usual, name: "a", description: "d", skillHash: "sha256:00" as Digest, bodyTokens: 1 };
  const found = { id: "a", source: "s", trust: "user", path: "/p", file: "SKILL.md", mtimeMs } as const;
  expect(toEntry({ ...record, isValid: true }, found, host)).toMatchObject({ lastModified });
});

test("torn, changed, older and foreign snapshots are not used [S-17]", () => {
  const scan = scanOf(fc.sample(anyRecord, { numRuns: 3, seed: 1 }));
  const bytes = Buffer.from(encodeScan(scan, defaultLimits));
  expect(decodeScan(bytes, defaultLimits)?.rows).toHaveLength(3);
  for (let length = 0; length < bytes.length; length += 1)
    expect(decodeScan(bytes.subarray(0, length), defaultLimits)).toBeUndefined();
  for (let at = 4; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8((changed.readUInt8(at) + 1) % 256, at);
    expect(decodeScan(changed, defaultLimits)).toBeUndefined();
  }
  const older = Buffer.from(bytes.toString("latin1").replace('"format":"7:', '"format":"6:'), "latin1");
  older.writeUInt32LE(crc32(older.subarray(8)), 4);
  expect(decodeScan(older, defaultLimits)).toBeUndefined();
  expect(decodeScan(bytes, withLimits({ nameLength: 9 }))).toBeUndefined();
  expect(decodeScan(Buffer.from("SQLite format 3\0 and more"), defaultLimits)).toBeUndefined();
});
