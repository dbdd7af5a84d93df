import type { Requirements } from "@skillhold/protocol";
import type { SkillRecord } from "./record.ts";

const NOTHING: readonly never[] = Object.freeze([]);

/** The most common values, which are not written and are shared by all records. */
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

/** A record as a line of JSON, without default values. */
export function writeRecordText(record: SkillRecord): string {
  const { type, isValid, runtime, requires, invocation, metadata } = record;
  return JSON.stringify({
    // Defaults come first, in the order of `readRecordText`, so that a record that was read is written unchanged.
    ...usual,
    ...record,
    type: type === usual.type ? undefined : type,
    isValid: isValid ? undefined : isValid,
    diagnostics: unlessEmpty(record.diagnostics),
    runtime: runtime.length === 1 && runtime[0] === "*" ? undefined : runtime,
    tags: unlessEmpty(record.tags),
    requires: isEmpty(requires) ? undefined : requires,
    requiresSkills: unlessEmpty(record.requiresSkills),
    os: unlessEmpty(record.os),
    invocation: invocation.model && invocation.user ? undefined : invocation,
    metadata: Object.keys(metadata).length === 0 ? undefined : metadata,
  });
}

function unlessEmpty<Item>(list: readonly Item[]): readonly Item[] | undefined {
  return list.length === 0 ? undefined : list;
}

function isEmpty({ env, bins, anyBins, config }: Requirements): boolean {
  return env.length + bins.length + anyBins.length + config.length === 0;
}

/** Contract: `writeRecordText` wrote the text; stored text was verified by a checksum. */
export function readRecordText(text: string): SkillRecord {
  return { ...usual, ...(JSON.parse(text) as SkillRecord) };
}
