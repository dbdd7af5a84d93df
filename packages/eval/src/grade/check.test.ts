import { afterEach, describe, expect, test } from "vitest";
import { cleanUp, tempFolder, writeFiles } from "../eval.fixture.ts";
import type { Check } from "../format/assertion.ts";
import { WorkFolder } from "../runner/work-folder.ts";
import type { Trial } from "../trial/trial.ts";
import { runCheck } from "./check.ts";
import { matchPattern } from "./pattern.ts";

afterEach(cleanUp);

function trial(more: Partial<Trial> = {}): Trial {
  const work = tempFolder();
  writeFiles(work, { "a.csv": "x,y", "out/b.json": '{"pages": 6, "list": [1, 2]}' });
  const events = [
    { tool: "Bash", input: {} },
    { tool: "read_skill", input: {}, skillRead: "pdf" },
    {
      tool: "run_skill_script",
      input: {},
      scriptRun: { skill: "pdf", script: "scripts/merge.py", exitCode: 1 },
    },
  ];
  const usage = { input: 900, output: 100, cached: 0 };
  return {
    outcome: "done",
    events,
    output: "Hello Alice",
    usage,
    turns: 4,
    ms: 1,
    work: new WorkFolder(work),
    ...more,
  };
}

const rows: readonly (readonly [Check, "pass" | "fail" | "ungraded"])[] = [
  [{ type: "output_contains", value: "ALICE" }, "pass"],
  [{ type: "output_contains", value: "Bob" }, "fail"],
  [{ type: "output_not_contains", value: "Bob" }, "pass"],
  [{ type: "output_matches", pattern: "^hello" }, "pass"],
  [{ type: "output_matches", pattern: "(?i)HELLO" }, "pass"],
  [{ type: "output_not_matches", pattern: "bob|eve" }, "pass"],
  [{ type: "output_matches", pattern: "(" }, "ungraded"],
  [{ type: "file_exists", path: "*.csv" }, "pass"],
  [{ type: "file_exists", path: "*.json" }, "pass"],
  [{ type: "file_exists", path: "*.md" }, "fail"],
  [{ type: "file_not_exists", path: "out/*.md" }, "pass"],
  [{ type: "file_contains", path: "a.csv", value: "x,y" }, "pass"],
  [{ type: "file_contains", path: "b.csv", value: "x,y" }, "fail"],
  [{ type: "file_not_contains", path: "a.csv", value: "z" }, "pass"],
  [{ type: "exit_success" }, "pass"],
  [{ type: "exit_code", value: 1 }, "pass"],
  [{ type: "exit_code", value: 0 }, "fail"],
  [{ type: "json_path", path: "out/b.json", query: "$.pages", equals: 6 }, "pass"],
  [{ type: "json_path", path: "out/b.json", query: "$.list[?@ > 1]" }, "pass"],
  [{ type: "json_path", path: "out/b.json", query: "$.pages", equals: 7 }, "fail"],
  [{ type: "json_path", path: "out/b.json", query: "$[" }, "ungraded"],
  [{ type: "json_path", query: "$.a" }, "fail"],
  [{ type: "skill_read", value: true }, "pass"],
  [{ type: "skill_read", skill: "mail", value: true }, "fail"],
  [{ type: "skill_read", skill: "mail", value: false }, "pass"],
  [{ type: "script_ran", script: "merge.py" }, "pass"],
  [{ type: "script_ran", script: "split.py" }, "fail"],
  [{ type: "expect_tool", tool: "bash" }, "pass"],
  [{ type: "reject_tool", tool: "create_file" }, "pass"],
  [{ type: "max_turns", value: 3 }, "fail"],
  [{ type: "max_tokens", value: 1000 }, "pass"],
];

describe("a check", () => {
  test.each(rows)("%j gives %s [S-51]", (check, verdict) => {
    const result = runCheck(check, { trial: trial(), skill: "pdf" });
    expect(result.verdict).toBe(verdict);
    expect(result.evidence).not.toBe("");
  });

  test("whose pattern backtracks forever is ungraded after a second [S-51]", () => {
    expect(matchPattern("(a+)+$", `${"a".repeat(60)}b`)).toEqual({
      problem: expect.stringContaining("timed out"),
    });
    expect(matchPattern("x".repeat(5000), "x")).toEqual({ problem: expect.stringContaining("longer") });
  });

  test("fails an empty answer [S-51]", () => {
    expect(runCheck({ type: "exit_success" }, { trial: trial({ output: " " }), skill: "pdf" }).verdict).toBe(
      "fail",
    );
  });
});

describe("a work folder", () => {
  test("refuses paths and links that lead out of it [S-51] [S-26]", async () => {
    const { linkSync, symlinkSync } = await import("node:fs");
    const root = tempFolder();
    const outside = tempFolder();
    writeFiles(outside, { "secret.txt": "S" });
    symlinkSync(outside, `${root}/link`);
    symlinkSync(`${outside}/secret.txt`, `${root}/file`);
    const work = new WorkFolder(root);
    for (const path of ["../x", "/etc/passwd", "link/secret.txt", "file"])
      expect(() => work.read(path), path).toThrow();
    for (const path of ["../x", "/tmp/x", "link/new.txt", "file"])
      expect(() => work.write(path, "x"), path).toThrow();
    linkSync(`${outside}/secret.txt`, `${root}/hard`);
    writeFiles(root, { "back\\slash": "x", "new\nline": "x" });
    expect(work.list()).toEqual([]);
    work.write("a/b.txt", "x");
    expect(work.list()).toEqual([{ path: "a/b.txt", size: 1 }]);
  });
});
