import type { SkillRecord } from "./record.ts";

/** Texts of records by number, read out of a snapshot when they are wanted. */
export interface RecordTexts {
  textAt(index: number): string;
}

const NOTHING: readonly never[] = Object.freeze([]);

/** What most records say; it is not written, and shared by all that are read. */
const usual = Object.freeze({
  type: "context",
  isValid: true,
  diagnostics: NOTHING,
  runtime: Object.freeze(["*"]),
  tags: NOTHING,
  requires: Object.freeze({ env: NOTHING, bins: NOTHING, anyBins: NOTHING, config: NOTHING }),
  requiresSkills: NOTHING,
  os: NOTHING,
  invocation: Object.freeze({ model: true, user: true }),
  metadata: Object.freeze(Object.create(null)),
}) satisfies Partial<SkillRecord>;

const usualTexts = new Map(Object.entries(usual).map(([key, value]) => [key, JSON.stringify(value)]));

/** A record as a line of JSON, without what is usual. */
export function writeRecord(record: SkillRecord): string {
  const kept = Object.entries(record).filter(([key, value]) => usualTexts.get(key) !== JSON.stringify(value));
  return JSON.stringify(Object.fromEntries(kept));
}

/** Contract: the text was written by `writeRecord`, and came back through a snapshot with a checksum. */
export function readRecord(text: string): SkillRecord {
  return { ...usual, ...(JSON.parse(text) as SkillRecord) };
}
