import { SkillEntry } from "@skillhold/protocol";

/** An entry as a library lists it, with defaults for the missing fields. */
export function entry(id: string, fields: Partial<Record<keyof SkillEntry, unknown>> = {}): SkillEntry {
  return SkillEntry.parse({
    id,
    name: id,
    description: `Does what ${id} says.`,
    source: "test",
    trust: "user",
    path: `/skills/${id}`,
    skillHash: `sha256:${"0".repeat(64)}`,
    lastModified: "2026-01-01T00:00:00Z",
    type: "context",
    tags: [],
    runtime: [],
    requires: { env: [], bins: [], anyBins: [], config: [] },
    requiresSkills: [],
    invocation: { model: true, user: true },
    bodyTokens: 100,
    metadata: {},
    readiness: { state: "ready", reasons: [] },
    diagnostics: [],
    ...fields,
  });
}
