import { expect, test } from "vitest";
import { SharedSurveys } from "./shared-survey.ts";

function scene() {
  const surveys = new SharedSurveys<number>();
  const gate = Promise.withResolvers<number>();
  const first = surveys.get("first", () => gate.promise, new AbortController().signal);
  let looks = 0;
  const look = async () => {
    looks += 1;
    return looks;
  };
  return { surveys, gate, first, look };
}

test("concurrent requests share a survey, which continues while one caller waits [S-35]", async () => {
  const { surveys, gate, first, look } = scene();
  const gone = new AbortController();
  const answers = [
    surveys.get("a", look, gone.signal),
    surveys.get("a", look, new AbortController().signal),
    surveys.get("b", look, gone.signal),
  ];
  gone.abort();
  gate.resolve(0);
  await first;
  const settled = await Promise.allSettled(answers);
  expect(settled).toMatchObject([
    { value: 1 },
    { value: 1 },
    { status: "rejected", reason: { code: "INTERRUPTED" } },
  ]);
  expect(await surveys.get("a", look, new AbortController().signal)).toBe(2);
});

test("rejects surveys when the queue is full [S-53]", async () => {
  const { surveys, gate, first, look } = scene();
  const { signal } = new AbortController();
  const waiting = Array.from({ length: 63 }, () => surveys.get(undefined, look, signal));
  await expect(surveys.get("more", look, signal)).rejects.toMatchObject({ code: "RATE_LIMITED" });
  gate.resolve(0);
  await Promise.all([first, ...waiting]);
});
