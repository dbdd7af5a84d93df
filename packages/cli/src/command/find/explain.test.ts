import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runJson, runMain, skillText, writeFile } from "../../fake-host.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skillhold-explain-"));
  writeFile(root, "a/pdf/SKILL.md", skillText("pdf", "Reads PDF."));
  writeFile(root, "a/mine/SKILL.md", skillText("mine", "x", "", "runtime: [other]\n"));
  writeFile(root, "b/pdf/SKILL.md", skillText("pdf", "Another."));
  writeFile(root, "b/none/SKILL.md", "no frontmatter\n");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const roots = ["--root", "a", "--root", "b"];

describe("explain", () => {
  test("lists every candidate and why it is in the prompt or not [S-19] [S-60]", async () => {
    const { code, out, err } = await runMain(["explain", ...roots], root);
    expect({ code, err }).toEqual({ code: 0, err: "1 visible, 1 hidden, 1 shadowed, 1 invalid\n" });
    const lines = out.trimEnd().split("\n");
    expect(lines).toHaveLength(5);
    expect(lines[1]).toMatch(/^hidden {4}mine {2}a {7}.*other/);
    expect(lines[2]).toBe("visible   pdf   a       In the prompt.");
    expect(lines[3]).toMatch(/^shadowed {2}pdf {3}b {7}Shadowed by a/);
    expect(lines[4]).toMatch(/^invalid {3}none {2}b {7}The file does not start/);
  });

  test("lists a folder with only tools, as doctor does [S-9] [S-19]", async () => {
    writeFile(root, "a/counter/tools/count.mjs", "export default {};\n");
    const all = await runMain(["explain", ...roots], root);
    expect(all.code).toBe(0);
    expect(all.out).toMatch(/a\/counter \(a\): Tools only, not named: /);
    const one = await runMain(["explain", "counter", ...roots], root);
    expect(one).toMatchObject({ code: 0, out: expect.stringContaining("Tools only, not named") });
    const { data } = await runJson(["explain", ...roots], root);
    expect(data.problems).toMatchObject([{ source: "a", reason: "tools-only" }]);
    const doctor = await runMain(["doctor", ...roots], root);
    expect(doctor.out).toMatch(/counter: Tools only, not named/);
    const list = await runMain(["list", ...roots], root);
    expect(list.err).toContain("1 folder with tools only, not named");
    expect(list.err).not.toContain("not searched");
  });

  test("returns state, reason and message for the viewer as JSON [S-19] [S-60]", async () => {
    const { data } = await runJson(
      ["explain", "--agent", "writer", "--user", "ada", "--runtime", "other", ...roots],
      root,
    );
    expect(data.viewer).toEqual({ runtime: "other", agent: "writer", user: "ada", invoker: "model" });
    const states = data.candidates.map(({ id, state, reason, prompt }: Candidate) => [
      id,
      state,
      reason,
      prompt,
    ]);
    expect(states).toEqual([
      ["mine", "visible", "visible", "inline"],
      ["pdf", "visible", "visible", "inline"],
      ["pdf", "shadowed", "shadowed", null],
      ["none", "invalid", "invalid", null],
    ]);
  });

  test("reports skills over the prompt budget [S-19] [S-22]", async () => {
    for (let index = 0; index < 45; index += 1)
      writeFile(root, `a/s${index}/SKILL.md`, skillText(`s${index}`, "Does a thing."));
    const { data } = await runJson(["explain", ...roots], root);
    const left = data.candidates.filter(({ prompt }: Candidate) => prompt === "search");
    expect(left.length).toBe(6);
  });

  test("shows the candidates of one id and the order of the sources [S-15] [S-19]", async () => {
    const { code, out } = await runMain(["explain", "pdf", ...roots], root);
    expect(code).toBe(0);
    expect(out).toContain("visible a/pdf (a)\n");
    expect(out).toContain("shadowed b/pdf (b)\n");
    expect(out).toContain("(precedence local):\n  1. a (workspace, trust user: from your own folders");
    expect(out).toMatch(/ 1\. a .* ← has it\n {2}2\. b .* ← has it\n/);
  });

  test.runIf(process.platform === "linux")(
    "--deps adds missing dependencies and keeps the state [S-19] [S-38]",
    async () => {
      writeFile(root, "a/pdf/a.py", "import zzz_reader\n");
      writeFile(root, "b/none/a.py", "import zzz_reader\n");
      const options = { env: { PATH: process.env["PATH"] } };
      const { data } = await runJson(["explain", "--deps", ...roots], root, options);
      const rows = data.candidates.map(({ id, state, dependencies }: Candidate) => [id, state, dependencies]);
      expect(rows).toEqual([
        ["mine", "hidden", { state: "ok", missing: [] }],
        ["pdf", "visible", { state: "missing", missing: ["pip:zzz_reader"] }],
        ["pdf", "shadowed", { state: "ok", missing: [] }],
        ["none", "invalid", null],
      ]);
      const all = await runMain(["explain", "--deps", ...roots], root, options);
      expect(all.out).toMatch(/\nvisible +pdf +a +In the prompt\. But missing: pip:zzz_reader\.\n/);
      expect(all.out.match(/missing/g)).toHaveLength(1);
      const one = await runMain(["explain", "pdf", "--deps", ...roots], root, options);
      expect(one.out).toContain("But missing: pip:zzz_reader.\n");
      const without = await runJson(["explain", ...roots], root, options);
      expect(without.data.candidates.some((each: object) => "dependencies" in each)).toBe(false);
    },
  );

  test("reports folders that were not searched [S-16] [S-19]", async () => {
    mkdirSync(join(root, "c"));
    symlinkSync(join(root, "a/pdf"), join(root, "c/linked"));
    const note =
      "1 folder was not searched: run `skillhold doctor --root c` to see which\n" +
      "1 link leaves the source: add `--follow-links` to follow it\n";
    const all = await runMain(["explain", "--root", "c"], root);
    expect(all.err).toBe(`No candidates found. Run \`skillhold list\` to see where it looked.\n${note}`);
    expect((await runMain(["explain", "pdf", ...roots, "--root", "c"], root)).err).toContain(
      "--follow-links",
    );
    const { data } = await runJson(["explain", "--root", "c"], root);
    expect(data.problems).toEqual([
      { source: "c", path: join(root, "c/linked"), reason: "link", message: expect.any(String) },
    ]);
    const one = await runJson(["explain", "linked", ...roots, "--root", "c"], root);
    expect(one).toMatchObject({
      code: 5,
      error: {
        code: "SKILL_NOT_FOUND",
        message: expect.stringContaining("c/linked was not searched. The link points outside"),
        hint: "Add --follow-links to follow the link.",
      },
    });
  });

  test("exits 5 for an unknown id with a suggestion [S-19] [S-60]", async () => {
    const result = await runJson(["explain", "nnone", ...roots], root);
    expect(result).toMatchObject({
      code: 5,
      error: { code: "SKILL_NOT_FOUND", hint: "Did you mean none?" },
    });
  });
});

interface Candidate {
  readonly id: string;
  readonly state: string;
  readonly reason: string;
  readonly prompt: string | null;
  readonly dependencies?: unknown;
}
