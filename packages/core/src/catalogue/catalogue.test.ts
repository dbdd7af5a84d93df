import { defaultLimits, type SkillEntry, withLimits } from "@skillhold/protocol";
import { codePointLength, estimateTokens } from "@skillhold/skill";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CatalogueOptions, renderCatalogue } from "./catalogue.ts";
import { entry } from "./entry.fixture.ts";
import { type CatalogueFormat, catalogueFormats, formatForModel } from "./format.ts";

const pdf = entry("pdf", { description: "Read, create, merge, split PDF files" });
const strange = entry("my-tables", {
  name: "Tables & <more>",
  description: 'Makes "tables"',
  trust: "third_party",
  readiness: { state: "needs-config", reasons: ["the environment variable KEY is not set"] },
});

test("nested XML shows the id where it differs from the name [S-21]", () => {
  const { text } = renderCatalogue([pdf, strange], { format: "xml", preamble: "" });
  expect(text).toBe(`<available_skills>
  <skill>
    <name>pdf</name>
    <description>Read, create, merge, split PDF files</description>
  </skill>
  <skill trust="third_party" readiness="needs-config">
    <name>Tables &amp; &lt;more&gt;</name>
    <id>my-tables</id>
    <description>Makes &quot;tables&quot;</description>
  </skill>
</available_skills>`);
});

test("XML with attributes matches GoClaw's format line by line [S-21]", () => {
  const { text } = renderCatalogue([pdf, strange], { format: "xml-attr", preamble: "" });
  expect(text).toBe(`<available_skills>
  <skill name="pdf" slug="pdf">Read, create, merge, split PDF files</skill>
  <skill name="Tables &amp; &lt;more&gt;" slug="my-tables" trust="third_party" readiness="needs-config">Makes &quot;tables&quot;</skill>
</available_skills>`);
});

test("Markdown matches Yodoca's bullets [S-21]", () => {
  const { text } = renderCatalogue([pdf, strange], { format: "markdown", preamble: "" });
  expect(text).toBe(`[Available Skills]
• \`pdf\` — Read, create, merge, split PDF files
• \`my-tables\` (third party, needs-config) — Makes "tables"

Use read_skill(skill_id) to load full instructions.`);
});

test("JSON is one JSON text, including preamble and note [S-21]", () => {
  const options: CatalogueOptions = { format: "json", limits: withLimits({ catalogueSkills: 2 }) };
  expect(
    JSON.parse(renderCatalogue([pdf, strange, entry("z")], { ...options, preamble: "Look." }).text),
  ).toEqual({
    instructions: "Look.",
    available_skills: [
      { id: "pdf", description: pdf.description },
      { id: "z", description: "Does what z says." },
    ],
    note: "1 more skill is not listed here: find them with search_skills(query).",
  });
});

test("shows a location only to an agent that asks for it, unchanged [S-21]", () => {
  const odd = entry("odd", { path: "/skills/a\u200bb" });
  const texts = catalogueFormats.map((format) => renderCatalogue([pdf, odd], { format }).text);
  expect(texts.filter((text) => text.includes("/skills/"))).toEqual([]);
  const { text } = renderCatalogue([pdf, odd], { format: "xml", locations: true });
  expect(text.match(/<location>.*<\/location>/g)).toEqual(["<location>/skills/pdf/SKILL.md</location>"]);
});

test.each([
  ["claude-opus-4-5", "xml"],
  ["anthropic.Claude-3-haiku", "xml"],
  ["gpt-5", "markdown"],
  [undefined, "markdown"],
])("the format for %s is %s [S-21]", (model, format) => {
  expect(formatForModel(model)).toBe(format);
  expect(renderCatalogue([pdf], model === undefined ? {} : { model }).format).toBe(format);
});

describe.each(catalogueFormats)("%s", (format) => {
  test("an empty library renders nothing [S-21]", () => {
    const none = { inline: [], deferred: 0, leftOut: [], shortened: [] };
    const empty = { text: "", format, tokens: 0, ...none, isComplete: true };
    expect(renderCatalogue([], { format, preamble: "Look." })).toEqual(empty);
  });

  test("the preamble says when and how to load a skill, with the tool's name [S-21]", () => {
    const { text } = renderCatalogue([pdf], { format, readTool: "load_it" });
    expect(text).toContain("Before a complex task, check the available skills");
    expect(text).toContain("load_it(skill_id)");
    expect(renderCatalogue([pdf], { format, preamble: "My own words." }).text).toContain("My own words.");
  });

  test("a skill costs 20 to 100 tokens at level 1, without its body [S-20]", () => {
    const one = renderCatalogue([entry("a-skill", { description: usual })], { format, preamble: "" });
    const two = renderCatalogue(
      [entry("a-skill", { description: usual }), entry("b-skill", { description: usual })],
      {
        format,
        preamble: "",
      },
    );
    expect(two.tokens - one.tokens).toBeGreaterThanOrEqual(20);
    expect(two.tokens - one.tokens).toBeLessThanOrEqual(100);
  });

  test("never exceeds the budget, loses no skill, and drops pinned skills last [S-22]", () => {
    fc.assert(
      fc.property(fc.array(anyEntry, { maxLength: 60 }), anyLimits, (drafts, limits) => {
        const entries = drafts.map((fields, at) => entry(`skill-${at}`, fields));
        const pinned = ["skill-3", "skill-1", "absent"];
        const catalogue = renderCatalogue(entries, {
          format,
          limits: { ...defaultLimits, ...limits },
          pinned,
        });
        expect(catalogue.tokens).toBe(estimateTokens(catalogue.text));
        expect(catalogue.tokens).toBeLessThanOrEqual(limits.catalogueTokens);
        expect(catalogue.inline.length).toBeLessThanOrEqual(limits.catalogueSkills);
        expect(catalogue.inline.length + catalogue.deferred).toBe(entries.length);
        expect(catalogue.text.includes("search_skills(query)")).toBe(catalogue.deferred > 0);
        const present = pinned.filter((id) => entries.some((each) => each.id === id));
        expect(catalogue.inline.slice(0, present.length)).toEqual(present.slice(0, catalogue.inline.length));
      }),
      { numRuns: 300 },
    );
  });
});

const usual =
  "Reads, creates and merges PDF files. Use when the user mentions PDFs, forms or scanned documents.";

const anyEntry = fc.record({
  name: fc.oneof(fc.constant("A name"), fc.string({ maxLength: 80 })),
  description: fc.oneof(
    fc.string({ maxLength: 40 }),
    fc.integer({ min: 0, max: 1200 }).map((length) => "Use it. ".repeat(length / 8)),
    fc.integer({ min: 0, max: 400 }).map((length) => "技<".repeat(length)),
  ),
  trust: fc.constantFrom("user", "third_party"),
});

const anyLimits = fc.record({
  catalogueSkills: fc.integer({ min: 1, max: 50 }),
  catalogueTokens: fc.oneof(fc.integer({ min: 100, max: 300 }), fc.integer({ min: 100, max: 8000 })),
  catalogueDescriptionLength: fc.integer({ min: 20, max: 300 }),
});

test("shows forty short skills inline, but not forty-one [S-22]", () => {
  const forty = renderCatalogue(makeEntries(40, usual));
  expect(forty).toMatchObject({ deferred: 0, isComplete: true });
  expect(forty.inline.length).toBe(40);
  const more = renderCatalogue(makeEntries(41, usual));
  expect(more).toMatchObject({ deferred: 1, isComplete: false });
  expect(more.text).toContain("1 more skill is not listed here: find them with search_skills(query).");
});

test("GoClaw's token estimate limits a catalogue, too [S-22]", () => {
  const render = (count: number, length: number, catalogueTokens: number) =>
    renderCatalogue(makeEntries(count, "x".repeat(length), "n".repeat(64)), {
      format: "markdown",
      preamble: "",
      limits: withLimits({ catalogueTokens }),
    });
  // By the estimate (64 + 350 + 10) / 4 each, so 1,060; the bullets leave out the name and take less than 1,000.
  expect(render(10, 350, 1000).isComplete).toBe(false);
  expect(render(10, 310, 1000).isComplete).toBe(true);
  // (64 + 6 + 10) / 4 each: no more than 15 in 300, though the text would have room for thirty.
  expect(render(40, 6, 300).inline.length).toBeGreaterThan(10);
  expect(render(40, 6, 300).inline.length).toBeLessThanOrEqual(15);
});

test.each(catalogueFormats)("%s uses the budget to the last token [S-22]", (format) => {
  for (let length = 1; length <= 4; length += 1) {
    const entries = makeEntries(60, "x".repeat(length));
    for (let catalogueTokens = 500; catalogueTokens < 560; catalogueTokens += 1) {
      const { tokens, deferred } = renderCatalogue(entries, {
        format,
        limits: withLimits({ catalogueTokens }),
      });
      expect(tokens).toBeLessThanOrEqual(catalogueTokens);
      expect(deferred).toBeGreaterThan(0);
    }
  }
});

test("shortens descriptions from the least relevant skill on, only as far as needed [S-22]", () => {
  const { text, deferred, inline } = renderCatalogue(makeEntries(20, "word ".repeat(200)), {
    format: "xml-attr",
  });
  const lengths = [...text.matchAll(/>(word[^<]*)</g)].map(([, description = ""]) =>
    codePointLength(description),
  );
  expect(deferred).toBe(0);
  expect(inline.length).toBe(20);
  expect(lengths.toSorted((a, b) => b - a)).toEqual(lengths);
  expect(lengths[0]).toBe(999);
  expect(lengths.at(-1)).toBeLessThanOrEqual(defaultLimits.catalogueDescriptionLength);
  expect(text).not.toContain("search_skills");
});

test("keeps pinned skills, then the best-ranked, then ready ones, then by id [S-22]", () => {
  const entries = makeEntries(100, usual).map((each) =>
    each.id === "skill-0010" ? entry(each.id, { readiness: { state: "missing-deps", reasons: [] } }) : each,
  );
  const limits = withLimits({ catalogueSkills: 5 });
  const rank = new Map([
    ["skill-0070", 1],
    ["skill-0010", 3.5],
    ["skill-0060", Number.NaN],
  ]);
  const ranked = renderCatalogue(entries.toReversed(), {
    limits,
    rank,
    pinned: ["skill-0099", "skill-0050"],
  });
  expect(ranked.inline).toEqual(["skill-0099", "skill-0050", "skill-0010", "skill-0070", "skill-0000"]);
  expect(ranked.deferred).toBe(95);
  const plain = renderCatalogue(entries.slice(8, 20), { limits: withLimits({ catalogueSkills: 4 }) });
  expect(plain.inline).toEqual(["skill-0008", "skill-0009", "skill-0011", "skill-0012"]);
});

test("a complete catalogue is the same for every task [S-22]", () => {
  const entries = makeEntries(10, usual);
  const rank = new Map([["skill-0009", 1]]);
  expect(renderCatalogue(entries.toReversed(), { rank })).toEqual(renderCatalogue(entries));
});

test("when even pinned skills do not fit, drops their descriptions, then the last of them [S-22]", () => {
  const entries = makeEntries(30, "Long words. ".repeat(30));
  const pinned = entries.slice(10, 20).map(({ id }) => id);
  const render = (catalogueTokens: number) =>
    renderCatalogue(entries, { format: "markdown", pinned, limits: withLimits({ catalogueTokens }) });
  const cut = render(650);
  expect(cut.inline).toEqual(pinned);
  expect(cut.text.match(/…$/gm)?.length).toBe(10);
  const bare = render(200);
  expect(bare.inline).toEqual(pinned);
  expect(bare.text).toMatch(/^• `skill-0019`$/m);
  const few = render(110);
  expect(few.inline.length).toBeGreaterThan(0);
  expect(few.inline).toEqual(pinned.slice(0, few.inline.length));
  expect(few.deferred).toBe(30 - few.inline.length);
});

test("when no description fits, still names the best skill [S-22]", () => {
  const limits = withLimits({ catalogueTokens: 100 });
  const { text, inline } = renderCatalogue(makeEntries(50, "Long words. ".repeat(30)), { limits });
  expect(inline).toEqual(["skill-0000"]);
  expect(text).toContain("Before a complex task");
  expect(text).toMatch(/^• `skill-0000`$/m);
});

test("drops a preamble that leaves no room for a skill, and ends with the sentence only [S-22]", () => {
  const limits = withLimits({ catalogueTokens: 100 });
  const long = renderCatalogue(makeEntries(50, usual), { limits, preamble: "word ".repeat(200) });
  expect(long.inline.length).toBeGreaterThan(0);
  expect(long.text).not.toContain("word word");
  const wide = entry("wide", { name: "技".repeat(64), path: `/${"x".repeat(400)}` });
  const only = renderCatalogue([wide], { format: "xml", locations: true, limits, searchTool: "look_up" });
  expect(only).toMatchObject({ inline: [], deferred: 1, isComplete: false });
  expect(only.text).toBe("There is 1 skill: find them with look_up(query).");
});

test("every format shows the tags of a skill, neutralized and at most eight [S-21]", () => {
  const tags = [
    "forms",
    'a"b<c',
    "x".repeat(40),
    "\u200b",
    ...Array.from({ length: 9 }, (_, at) => `t${at}`),
  ];
  const tagged = entry("tagged", { tags });
  const shown = (format: CatalogueFormat) => renderCatalogue([tagged], { format, preamble: "" }).text;
  const long = `${"x".repeat(31)}…`;
  expect(shown("xml")).toContain(`<tags>forms, a&quot;b&lt;c, ${long}, t0, t1, t2, t3</tags>`);
  expect(shown("xml-attr")).toContain(` tags="forms, a&quot;b&lt;c, ${long}, t0, t1, t2, t3"`);
  expect(shown("markdown")).toContain(`(tags: forms, a"b&lt;c, ${long}, t0, t1, t2, t3)`);
  expect(JSON.parse(shown("json")).available_skills[0].tags).toEqual([
    "forms",
    'a"b<c',
    long,
    "t0",
    "t1",
    "t2",
    "t3",
  ]);
});

test("a catalogue names the skills that it left out and shortened [S-22]", () => {
  const entries = makeEntries(4, "Long words. ".repeat(30));
  const limits = withLimits({ catalogueTokens: 150, catalogueDescriptionLength: 40 });
  const { inline, leftOut, shortened, deferred } = renderCatalogue(entries, {
    limits,
    pinned: ["skill-0003"],
  });
  expect(inline[0]).toBe("skill-0003");
  expect(leftOut).toHaveLength(deferred);
  expect([...inline, ...leftOut].sort()).toEqual(entries.map(({ id }) => id));
  expect(shortened).not.toEqual([]);
  const whole = renderCatalogue(entries);
  expect(whole).toMatchObject({ isComplete: true, leftOut: [], shortened: [], deferred: 0 });
});

function makeEntries(count: number, description: string, name?: string): readonly SkillEntry[] {
  return Array.from({ length: count }, (_, at) => {
    const id = `skill-${String(at).padStart(4, "0")}`;
    return entry(id, { description, name: name ?? id });
  });
}
