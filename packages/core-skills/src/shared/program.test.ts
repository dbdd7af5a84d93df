import { expect, test } from "vitest";
import { defineCommand } from "./command.ts";
import { callProgram } from "./program.fixture.ts";
import type { Program } from "./program.ts";
import { inputError } from "./script-error.ts";

const program: Program = {
  name: "scripts/sample.mjs",
  summary: "Does samples",
  commands: [
    defineCommand({
      name: "join",
      summary: "Join words",
      operands: { label: "<word...>", min: 1, max: 3 },
      options: {
        with: { type: "string", value: "text", help: "What goes between" },
        loud: { type: "boolean", help: "In capitals" },
        tag: { type: "string", multiple: true, help: "A tag" },
      },
      details: "Example: join a b --with -",
      run: ({ operands, options }) => {
        const text = operands.join(options.with ?? " ");
        return { text: options.loud === true ? text.toUpperCase() : text, tags: options.tag ?? [] };
      },
    }),
    defineCommand({
      name: "fail",
      summary: "Fail in one of several ways",
      operands: { label: "<how>", min: 1, max: 1 },
      options: {},
      run: ({ operands: [how] }) => {
        if (how === "input") throw inputError("BROKEN_FILE", "a.pdf is damaged.", "Ask for another copy.");
        if (how === "large") return { text: "x".repeat(500_000) };
        throw new Error(`boom\n  at  ${"y".repeat(2000)}`);
      },
    }),
  ],
};
const call = (...argv: string[]) => callProgram(program, argv, { cwd: "/" });

test("prints one line of JSON on stdout and leaves stderr empty on success [S-40]", async () => {
  const { code, stdout, stderr } = await call(
    "join",
    "a",
    "b",
    "--with",
    "+",
    "--loud",
    "--tag",
    "x",
    "--tag",
    "y",
  );
  expect({ code, stdout, stderr }).toEqual({
    code: 0,
    stdout: '{"ok":true,"text":"A+B","tags":["x","y"]}\n',
    stderr: "",
  });
});

test("prints one line of JSON on stderr and leaves stdout empty on failure [S-40]", async () => {
  const { code, stdout, stderr } = await call("fail", "input");
  expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
  expect(stderr).toBe(
    '{"ok":false,"error":{"code":"BROKEN_FILE","message":"a.pdf is damaged.","hint":"Ask for another copy."}}\n',
  );
});

test("reports an unexpected failure on one short line with exit code 1 [S-40]", async () => {
  const { code, stderr } = await call("fail", "otherwise");
  expect(code).toBe(1);
  expect(stderr.trim().split("\n")).toHaveLength(1);
  expect(stderr.length).toBeLessThan(700);
});

test("fails when the answer is too large [S-40]", async () => {
  expect(await call("fail", "large")).toMatchObject({
    code: 1,
    json: { error: { code: "ANSWER_TOO_LARGE" } },
  });
});

test.each([
  [[], "No command was given."],
  [["dance"], "There is no command dance."],
  [["join"], "join expects <word...>, but got 0."],
  [["join", "a", "b", "c", "d"], "join expects <word...>, but got 4."],
  [["join", "a", "--sideways"], "Unknown option '--sideways'"],
  [["join", "a", "--with"], "Option '--with <value>' argument missing"],
])("rejects the call %j with exit code 2 and the reason [S-40]", async (argv, message) => {
  const { code, stdout, json } = await call(...argv);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(json).toMatchObject({ error: { code: "USAGE", message: expect.stringContaining(message) } });
});

test("help lists the commands, and each command its options, without doing anything [S-40]", async () => {
  const whole = await call("--help");
  expect(whole.code).toBe(0);
  expect(whole.stdout).toMatch(/Usage: node scripts\/sample\.mjs <command>[\s\S]*join +Join words/);
  const one = await call("fail", "input", "--help");
  expect(one).toMatchObject({ code: 0, stderr: "" });
  const join = await call("join", "--help");
  expect(join.stdout).toMatch(/--with <text> +What goes between[\s\S]*Example: join a b/);
});

test("after two dashes, words that look like options are operands [S-40]", async () => {
  expect(await call("join", "--", "--help", "-x")).toMatchObject({ json: { text: "--help -x" } });
});

test("a negative number is a value [S-40]", async () => {
  expect(await call("join", "a", "b", "--with", "-1")).toMatchObject({ code: 0, json: { text: "a-1b" } });
  expect(await call("join", "a", "--loud", "-1")).toMatchObject({ code: 2 });
});
