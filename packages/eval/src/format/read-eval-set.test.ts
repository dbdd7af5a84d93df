import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { readEvalSet } from "./read-eval-set.ts";
import { readTriggerSet, triggersOf, writeTriggerSet } from "./trigger-set.ts";
import { writeEvalSet } from "./write-eval-set.ts";

/** One file of each dialect, with a field that Skillhold does not know. */
const files = {
  agentskills: {
    skill_name: "pdf",
    evals: [
      {
        id: "merge",
        prompt: "Merge a.pdf and b.pdf",
        expected_output: "one file",
        files: ["evals/files/a.pdf"],
        assertions: ["It has 6 pages"],
        owner: "x",
      },
    ],
  },
  anthropic: {
    skill_name: "pdf",
    evals: [{ id: 1, prompt: "Merge", expected_output: "x", files: [], expectations: ["One", "Two"] }],
  },
  metadata: { eval_id: 3, eval_name: "merge", prompt: "Merge", assertions: ["One"] },
  nvidia: [
    {
      id: "a",
      question: "Which?",
      expected_skill: "pdf",
      expected_script: "run.py",
      ground_truth: "that",
      expected_behavior: ["Says so"],
    },
    {
      id: "b",
      question: "Other?",
      expected_skill: null,
      expected_script: null,
      ground_truth: null,
      expected_behavior: ["Does not"],
    },
  ],
  checks: { skills: ["x"], resources: {}, expects: [{ query: "Deploy", checks: ["It runs"] }] },
} as const;

const dotnet = `scenarios:
  - name: "Greets Alice"
    prompt: "Greet Alice"
    setup:
      files:
        - { path: "in.txt", content: "hi" }
    assertions:
      - { type: output_contains, value: Alice }
      - { type: output_matches, pattern: "(?i)hello" }
      - { type: file_exists, path: "*.md" }
    expect_tools: [bash]
    reject_tools: [create_file]
    max_turns: 5
    rubric: ["It is friendly"]
    timeout: 30
    odd_field: kept
`;

describe("eval files", () => {
  test.each(Object.entries(files))(
    "of the %s dialect are read and written without loss [S-51]",
    (dialect, value) => {
      const { set, problems } = readEvalSet(JSON.stringify(value), "evals.json");
      expect(problems).toEqual([]);
      expect(set?.dialect).toBe(dialect);
      expect(set?.cases.every(({ prompt, assertions }) => prompt !== "" && assertions.length > 0)).toBe(true);
      expect(set && JSON.parse(writeEvalSet(set))).toEqual(value);
    },
  );

  test("of dotnet are read with their checks, files and limits, and written without loss [S-51]", () => {
    const { set, problems } = readEvalSet(dotnet, "eval.yaml");
    expect(problems).toEqual([]);
    const [scenario] = set?.cases ?? [];
    expect(scenario).toMatchObject({
      id: "greets-alice",
      files: [{ path: "in.txt", content: "hi" }],
      limits: { timeoutMs: 30_000 },
    });
    expect(scenario?.assertions.map(({ check, text }) => check?.type ?? text)).toEqual([
      "output_contains",
      "output_matches",
      "file_exists",
      "It is friendly",
      "expect_tool",
      "reject_tool",
      "max_turns",
    ]);
    expect(set && parse(writeEvalSet(set))).toEqual(parse(dotnet));
  });

  test("with typed checks of other vendors map to the same types [S-51]", () => {
    const assertions = [
      { text: "Names it", type: "contains_phrase", phrase: "x" },
      { text: "No key", type: "not_contains_pattern", pattern: "sk-" },
      { name: "a", text: "Is polite" },
      { text: "Is odd", type: "no_such_type" },
    ];
    const { set, problems } = readEvalSet(JSON.stringify([{ id: 1, prompt: "p", assertions }]));
    expect(set?.cases[0]?.assertions).toEqual([
      { text: "Names it", check: { type: "output_contains", value: "x" } },
      { text: "No key", check: { type: "output_not_matches", pattern: "sk-" } },
      { text: "Is polite" },
      { text: "Is odd" },
    ]);
    expect(problems).toEqual([{ at: "list[0]", message: expect.stringContaining("no_such_type") }]);
  });

  test("that are broken give problems and never throw [S-51]", () => {
    for (const text of ["", "{", "null", "3", '"x"', "[]x", "{}", "a: [", '{"evals": 3}'])
      expect(readEvalSet(text, "evals.json").problems.length, text).toBeGreaterThan(0);
    const mixed = readEvalSet(JSON.stringify([{ prompt: "ok" }, 3, { id: 1 }, { prompt: "ok" }]));
    expect(mixed.set?.cases.map(({ id }) => id)).toEqual(["case-1", "case-4"]);
    expect(mixed.problems.map(({ at }) => at)).toEqual(["list[1]", "list[2]"]);
  });

  test("with aliases that would explode are refused [S-51]", () => {
    const levels = Array.from(
      { length: 12 },
      (_, index) =>
        `l${index}: &l${index} [${index === 0 ? "x" : `*l${index - 1}, `.repeat(9).slice(0, -2)}]`,
    );
    const { set, problems } = readEvalSet(levels.join("\n"), "eval.yaml");
    expect(set).toBeUndefined();
    expect(problems[0]?.message).toContain("Invalid YAML");
  });
});

describe("any text", () => {
  const fields = fc.constantFrom(
    ...[
      "evals",
      "cases",
      "scenarios",
      "expects",
      "id",
      "prompt",
      "question",
      "assertions",
      "files",
      "setup",
      "path",
    ],
    ...[
      "type",
      "pattern",
      "value",
      "query",
      "should_trigger",
      "expected_skill",
      "rubric",
      "expect_tools",
      "timeout",
    ],
  );
  const value = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.string(),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(fields, tie("value"), { maxKeys: 5 }),
    ),
  })).value;

  test("is read as evals and as triggers without a throw, and survives a round trip [S-51]", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          value.map((each) => JSON.stringify(each)),
          fc.string(),
        ),
        fc.constantFrom("a.json", "a.yaml", ""),
        (text, name) => {
          readTriggerSet(text, name);
          const { set } = readEvalSet(text, name);
          if (set === undefined || set.cases.length === 0) return;
          const again = readEvalSet(writeEvalSet(set), `x.${set.frame.format}`).set;
          expect(again?.cases).toEqual(set.cases);
        },
      ),
    );
  });
});

describe("trigger sets", () => {
  test("are read in the forms of the wild [S-51]", () => {
    const forms = [
      [
        { query: "a", should_trigger: true },
        { query: "b", should_trigger: false },
      ],
      {
        queries: [
          { prompt: "a", shouldTrigger: true },
          { prompt: "b", expected: "no" },
        ],
      },
      { should_trigger: ["a"], should_not_trigger: ["b"] },
      { positive: ["a"], negative: ["b"] },
      [
        { question: "a", expected_skill: "pdf" },
        { question: "b", expected_skill: null },
      ],
    ];
    for (const form of forms)
      expect(readTriggerSet(JSON.stringify(form)).queries).toEqual([
        { query: "a", shouldTrigger: true },
        { query: "b", shouldTrigger: false },
      ]);
  });

  test("keep families through a round trip, and report what they cannot read [S-51]", () => {
    const queries = [{ query: "a", shouldTrigger: true, family: "f" }];
    expect(readTriggerSet(writeTriggerSet(queries)).queries).toEqual(queries);
    const { queries: none, problems } = readTriggerSet(
      '[{"query": "a"}, {"should_trigger": true}, 3, {"query":"b","should_trigger":true},{"query":"b","should_trigger":false}]',
    );
    expect(none).toHaveLength(1);
    expect(problems).toHaveLength(4);
  });

  test("come out of eval files that name the skill they expect [S-51]", () => {
    const { set } = readEvalSet(JSON.stringify(files.nvidia));
    expect(set && triggersOf(set, "pdf")).toEqual([
      { query: "Which?", shouldTrigger: true },
      { query: "Other?", shouldTrigger: false },
    ]);
    expect(set && triggersOf(set, "mail").map(({ shouldTrigger }) => shouldTrigger)).toEqual([false, false]);
  });
});
