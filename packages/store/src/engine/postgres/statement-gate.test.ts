import { expect, test } from "vitest";
import { StatementGate, type StatementNeeds } from "./statement-gate.ts";

test.each<[string, StatementNeeds, number]>([
  ["at once", { bytes: 100 }, 3],
  ["at once if the server has described it", { bytes: 100, described: "known" }, 3],
  ["alone if the server describes it first", { bytes: 100, described: "new" }, 1],
  ["alone if the server describes it each time", { bytes: 100, described: "" }, 1],
  ["alone if it is long", { bytes: 1e6 }, 1],
  ["until the bytes are too many", { bytes: 15_000 }, 2],
])("passes a statement %s, and all in the order of the calls [S-41]", async (_, needs, together) => {
  const gate = new StatementGate();
  await gate.pass({ bytes: 10, described: "known" }, async () => {});
  const { started, answers, all } = send(gate, needs);
  expect(started).toEqual([0, 1, 2].slice(0, together));
  for (const answer of answers) answer.resolve();
  await all;
  expect(started).toEqual([0, 1, 2]);
});

test("expects a description again after a failure [S-41]", async () => {
  const gate = new StatementGate();
  const needs = { bytes: 10, described: "known" };
  await gate.pass(needs, async () => {});
  await expect(gate.pass(needs, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  const { started, answers, all } = send(gate, needs);
  expect(started).toEqual([0]);
  for (const answer of answers) answer.resolve();
  await all;
});

/** Three statements at once. */
function send(gate: StatementGate, needs: StatementNeeds) {
  const started: number[] = [];
  const answers = [0, 1, 2].map(() => Promise.withResolvers<void>());
  const statements = answers.map(({ promise }, number) =>
    gate.pass(needs, async () => {
      started.push(number);
      await promise;
    }),
  );
  return { started, answers, all: Promise.all(statements) };
}
