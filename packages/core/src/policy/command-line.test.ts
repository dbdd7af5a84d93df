import { readArgv, readCommandLine } from "@skillhold/skill";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { grantedPatterns, honestLines, hostileLines } from "./command-case.fixture.ts";
import { argvOfShell, pieces, type Shell } from "./shell-argv.fixture.ts";
import { guardToolCall } from "./tool-guard.ts";

function argvUnder(patterns: readonly string[], command: string): readonly string[] | undefined {
  const verdict = guardToolCall({ tool: "bash", input: { command } }, [
    { skill: "s", allowedTools: patterns },
  ]);
  return verdict.verdict === "allowed" ? (verdict.argv ?? []) : undefined;
}

describe("a plain command line", () => {
  test.each(honestLines)("%j is allowed, and both shells would run the returned words [S-30]", (line) => {
    const argv = argvUnder(grantedPatterns, line);
    expect(argv).toBeDefined();
    for (const shell of ["bash", "dash"] as const) {
      expect(argvOfShell(shell, ["jq", "convert", "git"], [line])).toEqual([argv]);
    }
  });

  test.each(hostileLines)("%j is blocked [S-30]", (line) => {
    expect(argvUnder(grantedPatterns, line)).toBeUndefined();
  });

  test.each([
    ["jq .; id", "SHELL_SYNTAX"],
    ['jq "$x"', "EXPANSION"],
    ["jq 'x", "UNCLOSED_QUOTE"],
    ["jq .\n", "INVISIBLE"],
    ["A=1 jq", "ASSIGNMENT"],
    ["'jq' .", "PROGRAM_NAME"],
    ["time jq", "RESERVED_WORD"],
    [" \t", "EMPTY"],
    ["x".repeat(8193), "TOO_LONG"],
  ])("%j is rejected as %s [S-30]", (line, code) => {
    expect(readCommandLine(line).problem?.code).toBe(code);
  });

  test.each([[[]], [[""]], [["A=1", "jq"]], [["-x"]], [["jq", "a\0b"]], [["a b"]], [["if", "x"]]])(
    "the words %j are not a command [S-30]",
    (words) => {
      expect(readArgv(words).problem).toBeDefined();
    },
  );

  test("takes separate words unchanged [S-30]", () => {
    expect(readArgv(["jq", "a; b", "$x", "*"]).argv).toEqual(["jq", "a; b", "$x", "*"]);
  });
});

describe("real shells", () => {
  // About one line in eight is allowed.
  test.each<Shell>(["bash", "dash"])(
    "%s runs exactly the allowed command, over 20,000 random lines [S-30]",
    (shell) => {
      const line = fc
        .array(fc.constantFrom(...pieces), { minLength: 0, maxLength: 9 })
        .map((each) => `jq ${each.join("")}`);
      const samples = fc.sample(line, { numRuns: 20_000, seed: 7 });
      const allowed = samples.flatMap((each) => {
        const { argv } = readCommandLine(each);
        return argv === undefined ? [] : [{ each, argv }];
      });
      expect(allowed.length).toBeGreaterThan(1000);
      for (let from = 0; from < allowed.length; from += 500) {
        const batch = allowed.slice(from, from + 500);
        const seen = argvOfShell(
          shell,
          ["jq"],
          batch.map(({ each }) => each),
        );
        expect(seen).toEqual(batch.map(({ argv }) => argv));
      }
    },
  );

  test("the comparison detects a line with another meaning [S-30]", () => {
    expect(argvOfShell("dash", ["jq"], ["jq a{b", "jq $HOME x", "jq a; jq b"])).toEqual([
      ["jq", "a{b"],
      ["jq", "x"],
      ["jq", "a"],
      ["jq", "b"],
    ]);
  });

  test("reads any text without throwing [S-30]", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 64 }), (text) => {
        const { argv, problem } = readCommandLine(text);
        expect((argv === undefined) === (problem !== undefined)).toBe(true);
      }),
    );
  });
});
