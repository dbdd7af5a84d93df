import { systemTimers } from "@skillhold/core/port";
import { withDescription } from "@skillhold/skill";
import { afterEach, describe, expect, test } from "vitest";
import { cleanUp, limits, openEnd, openSkills, skillText, tempFolder, viewer } from "../eval.fixture.ts";
import type { TriggerQuery } from "../format/trigger-set.ts";
import { scriptModel } from "../model/script-model.ts";
import { loopRunner } from "../runner/loop-runner.ts";
import { seededRandom } from "../stats/random.ts";
import { rankOffline, reportOffline } from "../trigger/offline.ts";
import { agentScorer } from "./agent-scorer.ts";
import { descriptionPatch } from "./description.ts";
import { modelImprover } from "./model-improver.ts";
import { offlineScorer } from "./offline-scorer.ts";
import { type OptimizeRequest, optimizeDescription, type Scorer } from "./optimizer.ts";
import { splitQueries } from "./split.ts";

afterEach(cleanUp);

const topics = ["invoice", "lease", "thesis", "deck", "form", "scan", "report", "handbook", "letter", "menu"];
const queries: readonly TriggerQuery[] = [
  ...topics.map((topic) => ({
    query: `please combine the ${topic} documents`,
    shouldTrigger: true,
    family: topic,
  })),
  ...topics.map((topic) => ({
    query: `translate the ${topic} into French`,
    shouldTrigger: false,
    family: `not ${topic}`,
  })),
];

const request = (more: Partial<OptimizeRequest> = {}): OptimizeRequest => ({
  skill: "pdf",
  description: "Old words.",
  queries,
  others: new Map(),
  iterations: 5,
  seed: 42,
  longest: 1024,
  ...more,
});

/** A scorer that is right about positives when the description has a word, and always about negatives. */
function scorerFor(word: string): Scorer {
  return {
    score: async (_, list, { pdf = "" }) =>
      list.map(({ shouldTrigger }) => (!shouldTrigger || pdf.includes(word) ? 1 : 0)),
  };
}

const improverOf = (texts: readonly string[]) => {
  const rest = [...texts];
  return { improve: async () => rest.shift() };
};

describe("the optimizer", () => {
  test("finds a planted better description, and accepts it on held-out queries [S-51]", async () => {
    const improver = improverOf(["Worse.", "Combines documents.", "Another."]);
    const result = await optimizeDescription(request(), { scorer: scorerFor("Combines"), improver });
    expect(result).toMatchObject({ after: "Combines documents.", heldOutScore: 0.5, bestHeldOutScore: 1 });
    expect(result.attempts.map(({ decision }) => decision)).toEqual(["rejected", "accepted"]);
    expect(result.split.train + result.split.heldOut).toBe(queries.length);
  });

  test("keeps the old description when scores are noise [S-51]", async () => {
    const outcomes = [];
    for (let seed = 0; seed < 20; seed += 1) {
      const random = seededRandom(seed);
      const scorer: Scorer = { score: async (_, list) => list.map(() => Math.round(random() * 3) / 3) };
      const improver = improverOf(["a", "b", "c", "d", "e"]);
      outcomes.push((await optimizeDescription(request({ seed }), { scorer, improver })).after);
    }
    expect(outcomes.filter((after) => after !== undefined).length).toBeLessThanOrEqual(2);
  });

  test("does not accept what is better in training alone [S-51]", async () => {
    const { train } = splitQueries(queries, { seed: 42 });
    const seen = new Set(train.map(({ query }) => query));
    const scorer: Scorer = {
      score: async (_, list, { pdf = "" }) =>
        list.map(({ query, shouldTrigger }) =>
          !shouldTrigger || (pdf === "Overfitted." && seen.has(query)) ? 1 : 0,
        ),
    };
    const result = await optimizeDescription(request(), { scorer, improver: improverOf(["Overfitted."]) });
    expect(result.after).toBeUndefined();
    expect(result.attempts[0]).toMatchObject({ reason: "There is no gain on held-out queries." });
  });

  test("refuses a description that makes another skill trigger worse [S-51]", async () => {
    const others = new Map([["mail", [{ query: "send a letter", shouldTrigger: true }]]]);
    const scorer: Scorer = {
      score: async (skill, list, descriptions) => {
        if (skill === "mail") return list.map(() => (descriptions["pdf"]?.includes("Everything") ? 0 : 1));
        return await scorerFor("Combines").score(skill, list, descriptions);
      },
    };
    const improver = improverOf(["Everything. Combines all.", "Combines documents."]);
    const result = await optimizeDescription(request({ others }), { scorer, improver });
    expect(result.attempts[0]).toMatchObject({
      decision: "rejected",
      reason: expect.stringContaining("mail triggers worse"),
    });
    expect(result.after).toBe("Combines documents.");
  });

  test("keeps the shorter of two that are equally good, and refuses what is too long or was tried [S-51]", async () => {
    // One query is never right, so that the search goes on.
    const scorer: Scorer = {
      score: async (_, list, { pdf = "" }) =>
        list.map(({ query, shouldTrigger }) =>
          !query.includes("translate the menu") && (!shouldTrigger || pdf.includes("Combines")) ? 1 : 0,
        ),
    };
    const improver = improverOf([
      "Combines many documents.",
      "Combines some more documents.",
      "Combines docs.",
      "Combines docs.",
      "x".repeat(2000),
    ]);
    const result = await optimizeDescription(request(), { scorer, improver });
    expect(result.after).toBe("Combines docs.");
    expect(result.attempts.map(({ reason }) => reason)).toEqual([
      expect.stringContaining("Better"),
      "An earlier candidate is as good and not longer.",
      expect.stringContaining("Better"),
      "The description was tried before.",
      "The description is longer than 1024 characters.",
    ]);
  });

  test("shows the improver training queries only [S-51]", async () => {
    const { heldOut } = splitQueries(queries, { seed: 42 });
    const shown: string[] = [];
    const improver = {
      improve: async ({
        failures,
        successes,
      }: {
        failures: readonly TriggerQuery[];
        successes: readonly TriggerQuery[];
      }) => {
        shown.push(...[...failures, ...successes].map(({ query }) => query));
        return undefined;
      },
    };
    await optimizeDescription(request(), { scorer: scorerFor("x"), improver });
    expect(shown.length).toBeGreaterThan(0);
    expect(heldOut.filter(({ query }) => shown.includes(query))).toEqual([]);
  });

  test("asks a model for descriptions, and ends when the model fails [S-51]", async () => {
    const signal = new AbortController().signal;
    const answers = modelImprover(scriptModel({ replies: [{ text: '"Combines documents."' }] }), signal);
    expect(
      (await optimizeDescription(request(), { scorer: scorerFor("Combines"), improver: answers })).after,
    ).toBe("Combines documents.");
    const broken = modelImprover(scriptModel({ replies: [{ fail: "down" }] }), signal);
    expect(
      (await optimizeDescription(request(), { scorer: scorerFor("Combines"), improver: broken })).attempts,
    ).toEqual([]);
  });
});

describe("the agent scorer", () => {
  test("gives agents the changed description, and stops scoring when the budget is used up [S-51]", async () => {
    const { library } = await openSkills({ pdf: "Old words.", mail: "Sends letters." });
    const replies = [
      { sees: "Combines", calls: [{ name: "read_skill", input: { skill_id: "pdf" } }] },
      { text: "No." },
    ];
    const scorer = agentScorer(
      {
        runs: 1,
        limits,
        budget: { tokens: 300 },
        parallel: 1,
        signal: openEnd,
        skillIds: ["mail", "pdf"],
        place: tempFolder(),
      },
      { library, viewer, runner: loopRunner(scriptModel({ replies })), timers: systemTimers },
    );
    const list = [{ query: "a", shouldTrigger: true }];
    expect(await scorer.score("pdf", list, { pdf: "Old words." })).toEqual([0]);
    expect(await scorer.score("pdf", list, { pdf: "Combines documents." })).toEqual([1]);
    expect(await scorer.score("mail", list, { pdf: "Combines documents." })).toEqual([0]);
    expect(await scorer.score("pdf", list, { pdf: "Combines documents." })).toEqual([undefined]);
  });
});

describe("a split", () => {
  test("keeps families together, has both kinds on both sides, and depends on the seed alone [S-51]", () => {
    const twice = queries.flatMap((query) => [query, { ...query, query: `${query.query} now` }]);
    const { train, heldOut } = splitQueries(twice, { seed: 1 });
    const names = (list: readonly TriggerQuery[]) => new Set(list.map(({ family }) => family));
    expect([...names(train)].filter((name) => names(heldOut).has(name))).toEqual([]);
    for (const side of [train, heldOut])
      expect(new Set(side.map(({ shouldTrigger }) => shouldTrigger)).size).toBe(2);
    expect(heldOut.length / twice.length).toBeCloseTo(0.4, 1);
    expect(splitQueries(twice, { seed: 1 })).toEqual({ train, heldOut });
    expect(splitQueries(twice, { seed: 2 })).not.toEqual({ train, heldOut });
  });

  test("finds paraphrases by their words where no family is named [S-51]", () => {
    const bare = [
      "merge these three PDF files",
      "merge these three PDF files please",
      "summarize the annual report",
      "translate my letter",
      "draw a chart",
    ].map((query) => ({ query, shouldTrigger: true }));
    for (let seed = 0; seed < 10; seed += 1) {
      const { train } = splitQueries(bare, { seed });
      const count = train.filter(({ query }) => query.startsWith("merge")).length;
      expect([0, 2]).toContain(count);
    }
  });
});

describe("a description", () => {
  test("is changed in place, with comments and everything else kept [S-51]", () => {
    const text =
      "---\n# note\nname: pdf # id\ndescription: >-\n  Old\n  words.\nlicense: MIT\n---\n# Body\n---\nrest\n";
    const changed = withDescription(text, 'New: "words" & more');
    expect(changed).toContain("# note");
    expect(changed).toContain("name: pdf # id");
    expect(changed.endsWith("license: MIT\n---\n# Body\n---\nrest\n")).toBe(true);
    expect(withDescription(text.replaceAll("\n", "\r\n"), "x").split("\r\n").length).toBeGreaterThan(5);
    expect(descriptionPatch("pdf", text, changed)).toContain("+++ b/pdf/SKILL.md");
    expect(() => withDescription("no frontmatter", "x")).toThrow(
      expect.objectContaining({ code: "SKILL_INVALID" }),
    );
  });
});

describe("the offline score", () => {
  const catalogue = {
    pdf: "Merges and splits PDF files.",
    mail: "Sends letters and e-mail.",
    slides: "Makes presentations for talks.",
  };

  test("gives rank, margin, and the rival with its words [S-51]", async () => {
    const { library } = await openSkills(catalogue);
    expect(await rankOffline("merge PDF files", "pdf", { library, viewer })).toMatchObject({
      rank: 1,
      margin: expect.any(Number),
    });
    const lost = await rankOffline("send the merged letters", "pdf", { library, viewer });
    expect(lost.rank).not.toBe(1);
    expect(lost.margin).toBeLessThan(0);
    expect(lost.rival).toMatchObject({ skill: "mail", words: expect.arrayContaining(["send"]) });
  });

  test("fits its threshold on other skills, and says that negatives need a model [S-51]", async () => {
    const { library } = await openSkills(catalogue);
    const own = [
      { query: "merge PDF files", shouldTrigger: true },
      { query: "what is a PDF", shouldTrigger: false },
    ];
    const base = { skill: "pdf", treeHash: "sha256:x", at: new Date(0), skills: 3, queries: own };
    const few = await reportOffline({ ...base, others: new Map() }, { library, viewer });
    expect(few).toMatchObject({ hitAt1: { value: 1 }, falseFirst: { value: 1 } });
    expect(few.threshold).toBeUndefined();
    expect(few.notes.join()).toContain("a model is needed");
    const mail = Array.from({ length: 30 }, (_, index) => ({
      query: index % 2 === 0 ? `send letters ${index}` : `cook dinner ${index}`,
      shouldTrigger: index % 2 === 0,
    }));
    const fitted = await reportOffline({ ...base, others: new Map([["mail", mail]]) }, { library, viewer });
    expect(fitted.threshold).toMatchObject({ queries: 30, accuracy: 1 });
  });

  test("scores a changed description against the whole catalogue, and finds the planted one [S-51]", async () => {
    const skills = new Map(
      Object.entries(catalogue).map(([id, text]) => [
        id,
        skillText(id, id === "pdf" ? "Does things." : text),
      ]),
    );
    const scorer = offlineScorer({ skills, viewer, margin: 0 });
    const set = topics.flatMap((topic) => [
      { query: `combine ${topic} paperwork`, shouldTrigger: true, family: topic },
      { query: `send the ${topic}`, shouldTrigger: false, family: `no ${topic}` },
    ]);
    const others = new Map([["mail", [{ query: "send letters", shouldTrigger: true }]]]);
    const improver = improverOf(["Combine paperwork into one file."]);
    const result = await optimizeDescription(request({ queries: set, others, description: "Does things." }), {
      scorer,
      improver,
    });
    expect(result.after).toBe("Combine paperwork into one file.");
  });
});
