import { expect, test } from "vitest";
import { argumentShape } from "./argument-shape.ts";

const script = (...args: readonly string[]) => argumentShape({ act: "run_script", args }).slice(0, -1);
const tool = (input: unknown) => argumentShape({ act: "call_tool", args: [JSON.stringify(input)] });

test.each([
  [["a.pdf"], ["b.pdf"]],
  [["a.pdf", "b.pdf"], ["c.pdf"]],
  [
    ["--out", "a"],
    ["--out", "b"],
  ],
  [["--out=a"], ["--out=b"]],
  [
    ["merge", "A.pdf"],
    ["merge", "B.pdf"],
  ],
  [["-5"], ["12"]],
])("%j and %j have the same shape [S-28]", (one, other) => {
  expect(script(...one)).toEqual(script(...other));
});

test.each([
  [["a.pdf"], []],
  [["a.pdf"], ["a.pdf", "--delete"]],
  [
    ["merge", "a.pdf"],
    ["decrypt", "a.pdf"],
  ],
  [["--out=a"], ["--in=a"]],
  [["-rf"], ["-r"]],
  [["--", "-x"], ["-x"]],
])("%j and %j have different shapes [S-28]", (one, other) => {
  expect(script(...one)).not.toEqual(script(...other));
});

test("the input of a tool has the shape of its fields and types [S-28]", () => {
  expect(tool({ text: "a", list: [1, 2] })).toEqual(tool({ list: [3], text: "b" }));
  for (const other of [
    { text: 1, list: [1] },
    { text: "a" },
    { text: "a", list: [1], more: true },
    { text: "a", list: ["1"] },
  ])
    expect(tool(other)).not.toEqual(tool({ text: "a", list: [1] }));
  expect(argumentShape({ act: "call_tool", args: ["{"] })).toEqual(["{", ""]);
});

test("packages to install are their own shape [S-28]", () => {
  expect(argumentShape({ act: "install", args: ["npm:a"] })).not.toEqual(
    argumentShape({ act: "install", args: ["npm:b"] }),
  );
});
