import { join } from "node:path";
import { systemTimers, type Timers } from "@skillhold/core/port";
import { ManualTimers } from "@skillhold/core/test/manual-timers.fixture";
import { byConversation, type ModelReply, type ModelServer, startModelServer } from "@skillhold/testing";
import { afterEach, describe, expect, test } from "vitest";
import { cleanUp, laidOut, limits, openEnd, tempFolder } from "../eval.fixture.ts";
import { anthropicModel } from "../model/anthropic-model.ts";
import { openAiModel } from "../model/openai-model.ts";
import { scriptModel } from "../model/script-model.ts";
import { loopRunner } from "../runner/loop-runner.ts";
import type { Runner } from "../runner/runner.ts";
import { reportTriggers } from "./trigger-report.ts";
import { runTriggers, type TriggerRequest } from "./trigger-run.ts";

let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
  await cleanUp();
});

const read = (skill_id: string): ModelReply => ({ calls: [{ name: "read_skill", input: { skill_id } }] });
const done: ModelReply = { text: "Done." };

/** How agents behave, by the words of the query. */
const script = byConversation({
  "bash first": [{ calls: [{ name: "Bash", input: { command: "ls" } }] }, read("pdf"), done],
  "files first": [{ calls: [{ name: "list_files" }] }, read("pdf"), done],
  "another skill first": [read("mail"), read("pdf"), done],
  "one chunk": [
    { text: "I read it.", calls: [{ name: "read_skill", input: { skill_id: "pdf" } }], chunks: 1 },
    done,
  ],
  "two at once": [
    { calls: [...(read("mail") as { calls: [] }).calls, { name: "read_skill", input: { skill_id: "pdf" } }] },
    done,
  ],
  never: [{ text: "I can do that myself." }],
  "another skill only": [read("mail"), done],
  "wrong id": [read("pdf-tools"), done],
  crash: [{ crash: true }],
  "late crash": [{ calls: [{ name: "list_files" }] }, { crash: true }],
  refused: [{ status: 400, message: "bad request" }],
  hang: [{ hang: true }],
});

const expected = {
  "bash first": "yes",
  "files first": "yes",
  "another skill first": "yes",
  "one chunk": "yes",
  "two at once": "yes",
  never: "no",
  "another skill only": "no",
  "wrong id": "no",
  crash: "error",
  "late crash": "error",
  refused: "error",
  hang: "timeout",
} as const;

async function verdicts(
  queries: readonly string[],
  runner: Runner,
  timers: Timers,
  more: Partial<TriggerRequest> = {},
) {
  const request: TriggerRequest = {
    skill: "pdf",
    queries: queries.map((query) => ({ query, shouldTrigger: true })),
    skills: await laidOut(),
    runs: 1,
    limits,
    budget: {},
    parallel: 4,
    place: join(tempFolder(), "trials"),
    signal: openEnd,
    ...more,
  };
  return { request, result: await runTriggers(request, { runner, timers }) };
}

describe.each([
  [
    "OpenAI",
    (url: string, timers: Timers) => openAiModel({ baseUrl: `${url}/v1`, model: "fake" }, { fetch, timers }),
  ],
  [
    "Anthropic",
    (url: string, timers: Timers) =>
      anthropicModel({ baseUrl: url, model: "fake", apiKey: "k" }, { fetch, timers }),
  ],
] as const)("a trigger eval over %s", (_, makeModel) => {
  test("sees the skill at any step, and takes no crash or hang for a no [S-51]", async () => {
    server = await startModelServer(script);
    const timers = new ManualTimers();
    // The timer goes off when the model has been asked and will never answer.
    server.onRequest(({ messages }) => {
      if (messages[0]?.text === "hang") setImmediate(() => timers.advance(limits.timeoutMs));
    });
    // A timer of one trial must not end another, so that the one that hangs runs last and alone.
    const names = Object.keys(expected);
    const { result } = await verdicts(names, loopRunner(makeModel(server.url, timers)), timers, {
      parallel: 1,
    });
    expect(Object.fromEntries(result.trials.map(({ query, verdict }) => [query, verdict]))).toEqual(expected);
    expect(result.trials.find(({ query }) => query === "another skill only")?.others).toEqual(["mail"]);
  });

  test("offers the skill under its real id among the others, without a tool to run scripts [S-51]", async () => {
    server = await startModelServer(script);
    const timers = systemTimers;
    await verdicts(["never"], loopRunner(makeModel(server.url, timers)), timers);
    const [request] = server.requests;
    for (const id of ["pdf", "mail", "slides"]) expect(request?.system).toContain(id);
    expect(request?.tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["read_skill", "write_file"]),
    );
    expect(request?.tools.map(({ name }) => name)).not.toContain("run_skill_script");
  });
});

describe("a trigger eval", () => {
  test("ends a run once the skill was read, and asks the model no more [S-51]", async () => {
    server = await startModelServer(script);
    const timers = systemTimers;
    await verdicts(
      ["files first"],
      loopRunner(openAiModel({ baseUrl: `${server.url}/v1`, model: "m" }, { fetch, timers })),
      timers,
    );
    expect(server.requests).toHaveLength(2);
  });

  test("waits as long as a busy endpoint asks, then asks again [S-51]", async () => {
    let asked = 0;
    server = await startModelServer(() => {
      asked += 1;
      return asked === 1 ? { status: 429, headers: { "retry-after": "7" } } : done;
    });
    const waits: number[] = [];
    const timers: Timers = {
      ...systemTimers,
      after: (ms, callback) => {
        if (ms !== limits.timeoutMs) {
          waits.push(ms);
          setImmediate(callback);
        }
        return () => {};
      },
    };
    const model = openAiModel({ baseUrl: `${server.url}/v1`, model: "m" }, { fetch, timers });
    const { result } = await verdicts(["never"], loopRunner(model), timers);
    expect({ waits, verdicts: result.trials.map(({ verdict }) => verdict) }).toEqual({
      waits: [7000],
      verdicts: ["no"],
    });
  });

  test("stops with what it has when the tokens are used up [S-51]", async () => {
    const model = scriptModel({ replies: [{ text: "No." }] });
    const queries = Array.from({ length: 10 }, (_, index) => `query ${index}`);
    const { result } = await verdicts(queries, loopRunner(model), systemTimers, {
      budget: { tokens: 300 },
      parallel: 1,
    });
    expect(result).toMatchObject({ planned: 10, stoppedBy: "tokens", spent: { tokens: 330 } });
    expect(result.trials).toHaveLength(3);
  });

  test("throws the caller's abort and leaves no folder behind [S-51]", async () => {
    const abort = new AbortController();
    const model = scriptModel({ replies: [{ hang: true }] });
    const runner: Runner = {
      ...loopRunner(model),
      run: async (request) => {
        setImmediate(() => abort.abort(new Error("enough")));
        return await loopRunner(model).run(request);
      },
    };
    await expect(verdicts(["a"], runner, systemTimers, { signal: abort.signal })).rejects.toThrow("enough");
  });
});

describe("the report of a trigger eval", () => {
  test("counts queries with a verdict alone, and says which skill won instead on which words [S-51]", async () => {
    server = await startModelServer(script);
    const timers = new ManualTimers();
    const model = openAiModel({ baseUrl: `${server.url}/v1`, model: "m" }, { fetch, timers });
    const { request, result } = await verdicts(
      ["files first", "another skill only", "crash"],
      loopRunner(model),
      timers,
    );
    const queries = [...request.queries.slice(0, 2), { query: "crash", shouldTrigger: false }];
    const report = await reportTriggers(queries, result, {
      skill: "pdf",
      treeHash: "sha256:x",
      at: new Date(Date.UTC(2026, 0, 1)),
      runner: { id: "loop", model: "m" },
      runs: 1,
      distractors: 2,
      wordsFor: async () => ["letter"],
    });
    expect(report).toMatchObject({
      recall: { value: 0.5 },
      precision: { value: 1 },
      counts: { yes: 1, no: 1, error: 1, timeout: 0 },
    });
    expect(report.specificity).toBeUndefined();
    expect(report.queries[1]).toMatchObject({
      isRight: false,
      instead: [{ skill: "mail", times: 1, words: ["letter"] }],
    });
    expect(report.queries[2]?.isRight).toBeUndefined();
    expect(report.notes).toEqual([
      "1 errors and 0 timeouts are in no rate.",
      "1 queries have no verdict at all.",
    ]);
  });
});
