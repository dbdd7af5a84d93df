import { withLimits } from "@skillhold/protocol";
import { codePointLength } from "@skillhold/skill";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type BriefOptions, renderBrief } from "./brief.ts";
import { entry } from "./entry.fixture.ts";

const limits = withLimits({});
const render = (count: number, length: number, options: Partial<BriefOptions> = {}) =>
  renderBrief(
    Array.from({ length: count }, (_, at) =>
      entry(`skill-${String(at).padStart(3, "0")}`, { description: "word ".repeat(length / 5) }),
    ),
    { characters: 2000, limits, ...options },
  );

test("a brief catalogue starts with the how-to and ends with the list [S-22]", () => {
  const { text, isComplete } = render(3, 20);
  expect(text).toMatch(
    /^Before a complex task, .* load the ones that fit with read_skill\(skill_id\)\. .*\n\[Available Skills\]\n/,
  );
  expect(text).toMatch(/\n• `skill-002` — word word word word$/);
  expect(isComplete).toBe(true);
  expect(renderBrief([], { characters: 2000, limits }).text).toBe("");
});

test("descriptions are shortened evenly, then omitted, then skills are left to the search [S-22]", () => {
  const even = render(10, 1000);
  const lengths = [...even.text.matchAll(/ — (.*)/g)].map(([, text = ""]) => codePointLength(text));
  expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThan(2);
  expect(even).toMatchObject({ deferred: 0, isComplete: false });
  expect(even.text.length).toBeGreaterThan(1900);
  const mixed = render(60, 1000);
  expect(mixed).toMatchObject({ deferred: 0, isComplete: false });
  expect(mixed.text).toMatch(/\n• `skill-000` — word.*…\n.*\nMore ids: .*, `skill-059`$/s);
  const ids = render(400, 1000);
  expect(ids.text).toMatch(/\nIds: `skill-000`, `skill-001`, .*\n\d+ more: search_skills\(query\)$/);
  expect(ids.inline.length + ids.deferred).toBe(400);
  const rank = new Map([["skill-300", 1]]);
  expect(render(400, 1000, { rank, pinned: ["skill-399"] }).inline.slice(0, 3)).toEqual([
    "skill-399",
    "skill-300",
    "skill-000",
  ]);
});

test("a brief catalogue never exceeds its length and loses no skill [S-22]", () => {
  const anyEntry = fc.record({
    description: fc.oneof(fc.string({ maxLength: 300 }), fc.constant("技<`".repeat(200))),
    trust: fc.constantFrom("user", "third_party"),
  });
  fc.assert(
    fc.property(
      fc.array(anyEntry, { maxLength: 120 }),
      fc.integer({ min: 600, max: 3000 }),
      (drafts, characters) => {
        const entries = drafts.map((fields, at) => entry(`skill-${at}`, fields));
        const { text, inline, deferred } = renderBrief(entries, { characters, limits });
        expect(text.length).toBeLessThanOrEqual(characters);
        expect(inline.length + deferred).toBe(entries.length);
        expect(text.includes("search_skills(query)")).toBe(deferred > 0);
        for (const id of inline) expect(text).toContain(`\`${id}\``);
      },
    ),
    { numRuns: 200 },
  );
});
