import { expect, test } from "vitest";
import { examplesOf } from "./example.ts";

test("examples are short unique beginnings of descriptions [S-59]", () => {
  const long = `Draws ${"charts and ".repeat(20)}more`;
  const examples = examplesOf(["Fill PDF forms. Use it for forms.", "Fill PDF forms, fast", "", long]);
  expect(examples[0]).toBe("Fill PDF forms");
  expect(examples).toHaveLength(2);
  expect(examples[1]?.length).toBeLessThanOrEqual(60);
  expect(examplesOf(Array.from({ length: 50 }, (_, at) => `Do task ${at}`))).toHaveLength(6);
  expect(examplesOf(["Read, fill and split PDF files.", "Create"])).toEqual([
    "Read, fill and split PDF files",
  ]);
});
