import { expect, test } from "vitest";
import { readTriggers, type TriggerSource } from "./skill-trigger.ts";

const source: TriggerSource = { frontmatter: {}, description: "Fills forms.", body: "", evaluations: [] };

test("frontmatter, sections about use and prompts of evaluations are triggers [S-61]", () => {
  const { triggers } = readTriggers({
    ...source,
    frontmatter: { triggers: ["fill a form"], examples: "sign the lease" },
    body: "# Forms\n\n## When to Use This Skill\nTax returns.\n### More\nVisas.\n## Steps\nOpen it.\n",
    evaluations: [
      '[{"query": "do my taxes", "should_trigger": true}]',
      '{"evals": [{"id": 1, "prompt": "fill in the visa form", "expected_output": "A form."}]}',
      '{"should_trigger": ["complete the survey"]}',
    ],
  });
  expect(triggers).toEqual([
    "fill a form",
    "sign the lease",
    "Tax returns.\nMore\nVisas.",
    "do my taxes",
    "fill in the visa form",
    "complete the survey",
  ]);
});

test("requests that a skill is not for are exclusions, not part of its description [S-61]", () => {
  const found = readTriggers({
    ...source,
    description: "Fills forms. Do NOT use for reading invoices. NOT for scans (use ocr).",
    body: "## When NOT to use\nContracts.\n",
    evaluations: [
      '[{"query": "read an invoice", "should_trigger": false}]',
      '{"should_not_trigger": ["scan a page"]}',
    ],
  });
  expect(found).toEqual({
    description: "Fills forms.",
    triggers: [],
    exclusions: [
      "Do NOT use for reading invoices.",
      "NOT for scans (use ocr).",
      "Contracts.\n",
      "read an invoice",
      "scan a page",
    ],
  });
});

test.each([
  ["no JSON", "{"],
  ["nested too deep", `${"[".repeat(5000)}"x"${"]".repeat(5000)}`],
  ["a number", "7"],
  ["a text", '"x"'],
])("an evaluation file with %s has no prompts [S-61]", (_, text) => {
  expect(readTriggers({ ...source, evaluations: [text] })).toMatchObject({ triggers: [], exclusions: [] });
});

test("a heading in a code block is not a section [S-61]", () => {
  const body = "```\n# When to use\n```\nText.\n";
  expect(readTriggers({ ...source, body }).triggers).toEqual([]);
});
