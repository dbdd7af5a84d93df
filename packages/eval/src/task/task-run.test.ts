import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { systemTimers } from "@skillhold/core/port";
import { bubblewrap } from "@skillhold/sandbox/backend";
import { afterEach, describe, expect, test } from "vitest";
import { cleanUp, descriptions, limits, openEnd, openSkills, tempFolder, viewer } from "../eval.fixture.ts";
import { readEvalSet } from "../format/read-eval-set.ts";
import { modelJudge } from "../grade/judge.ts";
import { type ScriptedReplies, scriptModel } from "../model/script-model.ts";
import { loopRunner } from "../runner/loop-runner.ts";
import { layOut } from "../trial/skill-folder.ts";
import { prepareCases } from "./case-file.ts";
import { RunTree } from "./run-tree.ts";
import { reportTasks } from "./task-report.ts";
import { runTasks, type TaskPorts, type TaskRequest } from "./task-run.ts";

afterEach(cleanUp);

const evals = {
  skill_name: "pdf",
  evals: [
    {
      id: "merge",
      prompt: "Merge the files",
      files: [{ path: "in.txt", content: "one" }],
      assertions: [
        { type: "file_exists", path: "out/*.txt" },
        { type: "output_contains", value: "merged" },
        { type: "file_contains", path: "in.txt", value: "one" },
      ],
    },
    { id: "split", prompt: "Split the file", assertions: [{ type: "output_contains", value: "split" }] },
  ],
};

/** An agent that does well only when the catalogue has the skill. */
const script: ScriptedReplies = {
  replies: [
    {
      sees: "skill_content",
      turn: 2,
      match: "Merge",
      text: "x",
      calls: [{ name: "write_file", input: { path: "out/all.txt", content: "one" } }],
    },
    { sees: "skill_content", match: "Merge", text: "I merged them." },
    { sees: "skill_content", match: "Split", text: "I split it." },
    { sees: "Merges and splits", turn: 1, calls: [{ name: "read_skill", input: { skill_id: "pdf" } }] },
    { text: "I cannot." },
  ],
};

async function makeRequest(value: unknown, more: Partial<TaskRequest> = {}): Promise<TaskRequest> {
  const { library, root } = await openSkills(descriptions, {
    "pdf/scripts/count.sh": "ls /mnt/work; cp /mnt/work/in.txt /mnt/work/copy.txt\n",
  });
  const { set } = readEvalSet(JSON.stringify(value));
  const { cases } = prepareCases(set?.cases ?? [], {
    skill: join(root, "pdf"),
    file: join(root, "pdf/evals/evals.json"),
  });
  const place = tempFolder();
  const withSkill = await layOut(["mail", "pdf", "slides"], join(place, "with"), { library, viewer });
  const without = await layOut(["mail", "slides"], join(place, "without"), { library, viewer });
  const treeHash = withSkill.skills.find(({ id }) => id === "pdf")?.treeHash ?? "";
  return {
    skill: "pdf",
    cases,
    arms: [
      { name: "with_skill", skills: withSkill, treeHash },
      { name: "without_skill", skills: without },
    ],
    runs: 3,
    limits,
    budget: {},
    parallel: 3,
    isPairwise: false,
    place: join(place, "trials"),
    signal: openEnd,
    ...more,
  };
}

const ports = (model: ScriptedReplies, more: Partial<TaskPorts> = {}): TaskPorts => ({
  runner: loopRunner(scriptModel(model), { id: "script" }),
  timers: systemTimers,
  ...more,
});

const context = { at: new Date(Date.UTC(2026, 0, 1)), runner: { id: "script", model: "script" } };

describe("a task eval", () => {
  test("grades both arms by checks, compares them, and names its runner [S-51]", async () => {
    const request = await makeRequest(evals);
    const report = reportTasks(request, await runTasks(request, ports(script)), context);
    const [withSkill, without] = report.arms;
    expect(withSkill).toMatchObject({
      counts: { passed: 6, failed: 0, error: 0 },
      passAtK: 1,
      passHatK: 1,
      score: { mean: 1 },
    });
    expect(without).toMatchObject({ counts: { passed: 0, failed: 6 }, passed: { value: 0 } });
    expect(report.comparison).toMatchObject({ verdict: "better" });
    expect(report.cases[0]?.silent).toEqual([{ text: 'in.txt contains "one"', verdict: "pass" }]);
    expect(report.notes).toContain(
      "The runner is a script: this tests the harness and does not measure the skill.",
    );
    expect(report.treeHash).toMatch(/^sha256:/);
  });

  test("with two identical arms has delta 0 and is not significant [S-51]", async () => {
    const request = await makeRequest(evals);
    const [first] = request.arms;
    if (first === undefined) throw new Error("There is an arm.");
    const same = {
      ...request,
      arms: [
        { ...first, name: "new_skill" as const },
        { ...first, name: "old_skill" as const },
      ],
    };
    const report = reportTasks(same, await runTasks(same, ports(script)), context);
    expect(report.comparison).toMatchObject({ delta: { value: 0 }, verdict: "not significant" });
  });

  test("keeps errors and timeouts out of every rate [S-51]", async () => {
    const request = await makeRequest(evals, { runs: 1 });
    const broken: ScriptedReplies = { replies: [{ match: "Merge", fail: "overloaded" }, ...script.replies] };
    const report = reportTasks(request, await runTasks(request, ports(broken)), context);
    expect(report.arms.map(({ counts }) => counts)).toEqual([
      { passed: 1, failed: 0, ungraded: 0, error: 1, timeout: 0 },
      { passed: 0, failed: 1, ungraded: 0, error: 1, timeout: 0 },
    ]);
    expect(report.trials.find(({ outcome }) => outcome === "error")?.message).toBe("overloaded");
    expect(report.arms[0]?.passed).toMatchObject({ value: 1 });
  });

  test("stops at its budget with the arms even, and says so [S-51]", async () => {
    const request = await makeRequest(evals, { budget: { tokens: 400 }, parallel: 1 });
    const result = await runTasks(request, ports(script));
    const report = reportTasks(request, result, context);
    expect(report.stoppedBy).toBe("tokens");
    const runs = report.arms.map(({ counts }) => counts.passed + counts.failed);
    expect(Math.abs((runs[0] ?? 0) - (runs[1] ?? 0))).toBeLessThanOrEqual(1);
    expect(report.notes.join()).toContain(`of ${result.planned} runs`);
  });

  test("adds up money from prices, and stops at it [S-51]", async () => {
    const request = await makeRequest(evals, {
      budget: { usd: 0.0002 },
      price: { input: 1, output: 1 },
      parallel: 1,
    });
    const { stoppedBy, spent } = await runTasks(request, ports(script));
    expect(stoppedBy).toBe("usd");
    expect(spent.usd).toBeGreaterThanOrEqual(0.0002);
  });

  test("leaves no trial folder behind, and trials do not see each other's files [S-51]", async () => {
    const request = await makeRequest(evals);
    mkdirSync(request.place);
    const seen: string[][] = [];
    await runTasks(
      request,
      ports(script, { onTrial: (_, { work }) => seen.push(work.list().map(({ path }) => path)) }),
    );
    expect(readdirSync(request.place)).toEqual([]);
    expect(seen.filter((files) => files.includes("out/all.txt"))).toHaveLength(3);
  });

  test("runs scripts of the skill in the sandbox, with only the work folder mounted [S-51] [S-29]", async () => {
    const value = {
      evals: [
        {
          id: 1,
          prompt: "Run it",
          files: [{ path: "in.txt", content: "one" }],
          assertions: [
            { type: "script_ran", script: "count.sh" },
            { type: "exit_code", value: 0 },
            { type: "file_contains", path: "copy.txt", value: "one" },
          ],
        },
      ],
    };
    const model: ScriptedReplies = {
      replies: [
        { turn: 1, sees: "run_skill_script", text: "never" },
        {
          turn: 1,
          calls: [{ name: "run_skill_script", input: { skill_id: "pdf", script: "scripts/count.sh" } }],
        },
        { text: "Done." },
      ],
    };
    const request = await makeRequest(value, { runs: 1 });
    const one = { ...request, arms: request.arms.slice(0, 1) };
    const runner = loopRunner(scriptModel(model), { id: "script", sandbox: bubblewrap() });
    const { trials } = await runTasks(one, { runner, timers: systemTimers });
    expect(trials[0]?.grades.map(({ verdict, evidence }) => `${verdict}: ${evidence}`)).toEqual([
      "pass: Scripts run: scripts/count.sh (0)",
      "pass: Scripts run: scripts/count.sh (0)",
      "pass: In copy.txt",
    ]);
  });
});

describe("the judge", () => {
  const value = {
    evals: [{ id: 1, prompt: "Write", expected_output: "a poem", assertions: ["It rhymes", "It is short"] }],
  };
  const agent = { match: "Write", text: "Roses are red" };

  test("grades what no check can, with evidence, and never sees the arm [S-51]", async () => {
    const request = await makeRequest(value, { runs: 1 });
    const seen: string[] = [];
    const reply =
      '```json\n[{"assertion": 1, "passed": true, "evidence": "red / bed"}, {"assertion": 2, "passed": true, "evidence": " "}]\n```';
    const judgeModel = scriptModel({ replies: [{ text: reply }] });
    const spy = {
      ...judgeModel,
      complete: (turn: Parameters<typeof judgeModel.complete>[0], signal: AbortSignal) => {
        seen.push(turn.system, ...turn.messages.map((message) => ("text" in message ? message.text : "")));
        return judgeModel.complete(turn, signal);
      },
    };
    const result = await runTasks(request, ports({ replies: [agent] }, { judge: modelJudge(spy) }));
    expect(result.trials[0]?.grades).toEqual([
      { text: "It rhymes", by: "judge", verdict: "pass", evidence: "red / bed" },
      { text: "It is short", by: "judge", verdict: "fail", evidence: "The judge gave no evidence." },
    ]);
    expect(seen.join("\n")).toContain("Roses are red");
    expect(seen.join("\n")).not.toMatch(/with_skill|without_skill|read_skill|pdf/);
  });

  test("that fails or returns nonsense leaves runs ungraded, never failed [S-51]", async () => {
    for (const reply of [{ fail: "down" }, { text: "Great work!" }, { text: "[]" }]) {
      const request = await makeRequest(value, { runs: 1 });
      const judge = modelJudge(scriptModel({ replies: [reply] }));
      const report = reportTasks(
        request,
        await runTasks(request, ports({ replies: [agent] }, { judge })),
        context,
      );
      expect(report.arms[0]).toMatchObject({ counts: { passed: 0, failed: 0, ungraded: 1 } });
      expect(report.comparison).toBeUndefined();
    }
  });

  test("compares pairs in both orders, and a judge that follows the order gives a tie [S-51]", async () => {
    const request = await makeRequest(value, { runs: 1, isPairwise: true });
    const agents = { replies: [{ sees: "Merges and splits", text: "GOOD" }, { text: "POOR" }] };
    const pair = async (replies: ScriptedReplies["replies"]) =>
      (await runTasks(request, ports(agents, { judge: modelJudge(scriptModel({ replies })) }))).pairs;
    expect(await pair([{ text: '{"winner": "A", "reason": "first"}' }])).toMatchObject([
      { winner: "tie", isConsistent: false },
    ]);
    expect(
      await pair([
        { sees: "<A>\n<answer>\nGOOD", text: '{"winner": "A"}' },
        { sees: "<B>\n<answer>\nGOOD", text: '{"winner": "B"}' },
        { text: "[]" },
      ]),
    ).toMatchObject([{ winner: "first", isConsistent: true }]);
    expect(await pair([{ text: '{"winner": "tie"}' }])).toMatchObject([
      { winner: "tie", isConsistent: true },
    ]);
    expect(await pair([{ text: "no json" }])).toMatchObject([{ winner: "ungraded" }]);
  });
});

describe("the run tree", () => {
  test("has the files that skill-creator reads, and no grading for a run without a verdict [S-51]", async () => {
    const request = await makeRequest(evals, { runs: 1 });
    const tree = new RunTree(join(tempFolder(), "workspace"));
    const broken: ScriptedReplies = { replies: [{ match: "Split", fail: "overloaded" }, ...script.replies] };
    const result = await runTasks(request, ports(broken, { onTrial: (...args) => tree.writeTrial(...args) }));
    tree.writeBenchmark(reportTasks(request, result, context), "/skills/pdf");
    const json = (path: string) => JSON.parse(readFileSync(join(tree.folder, path), "utf8"));
    expect(tree.folder.endsWith("iteration-1")).toBe(true);
    expect(json("eval-merge/with_skill/run-1/grading.json")).toMatchObject({
      expectations: [
        { text: "A file out/*.txt exists", passed: true, evidence: "Found out/all.txt" },
        {},
        {},
      ],
      summary: { passed: 3, failed: 0, total: 3, pass_rate: 1 },
    });
    expect(json("eval-merge/with_skill/run-1/timing.json")).toMatchObject({
      total_tokens: expect.any(Number),
    });
    expect(readFileSync(join(tree.folder, "eval-merge/with_skill/run-1/outputs/out/all.txt"), "utf8")).toBe(
      "one",
    );
    expect(existsSync(join(tree.folder, "eval-split/with_skill/run-1/grading.json"))).toBe(false);
    expect(json("eval-split/with_skill/run-1/error.json")).toEqual({
      outcome: "error",
      message: "overloaded",
    });
    expect(json("benchmark.json")).toMatchObject({
      metadata: { skill_name: "pdf", executor_model: "script:script", runs_per_configuration: 1 },
      run_summary: {
        with_skill: { pass_rate: { mean: 1 } },
        delta: { pass_rate: expect.stringMatching(/^\+/) },
      },
    });
    expect(new RunTree(join(tree.folder, "..")).folder.endsWith("iteration-2")).toBe(true);
  });
});
