import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runJson, runMain, skillText, writeFile } from "../../fake-host.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skillhold-read-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe("read", () => {
  test("prints the text for the agent, and the cost on stderr [S-25] [S-60]", async () => {
    writeFile(root, "skills/pdf/SKILL.md", skillText("pdf", "x", "# Steps\n"));
    writeFile(root, "skills/pdf/references/forms.md", "forms");
    const { code, out, err } = await runMain(["read", "pdf", "--root", "skills"], root);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^Skill loaded: pdf .*\n<skill_content name="pdf" .*>\n# Steps\n[\s\S]*<\/skill_content>\n$/,
    );
    expect(out).toContain(`Skill directory: ${join(root, "skills/pdf")}\n`);
    expect(out).toContain("references/forms.md</file>");
    expect(err).toMatch(/^pdf: about \d+ tokens, 1 file\n$/);
  });

  test("repeats warnings on stderr unless both streams are a terminal [S-24] [S-60]", async () => {
    const needs = "metadata: { openclaw: { requires: { env: [PDF_KEY] } } }\n";
    writeFile(root, "skills/pdf/SKILL.md", skillText("pdf", "x", "Do.\n", needs));
    expect((await runMain(["read", "pdf"], root)).err).toContain("warning: The skill is not ready");
    expect((await runMain(["read", "pdf"], root, { columns: 80 })).err).toBe("");
  });

  test("substitutes arguments word by word [S-12]", async () => {
    writeFile(root, "skills/greet/SKILL.md", skillText("greet", "x", "0=$0 1=$1 all=$ARGUMENTS\n"));
    expect((await runMain(["read", "greet", "a b", "c"], root)).out).toContain('0=a b 1=c all="a b" c\n');
    expect((await runMain(["read", "greet", "fix it"], root)).out).toContain("0=fix 1=it all=fix it\n");
  });

  test("--raw prints only the body, unchanged [S-20] [S-60]", async () => {
    writeFile(root, "skills/pdf/SKILL.md", skillText("pdf", "x", "# \u001b[1mSteps\r\n"));
    expect(await runMain(["read", "--raw", "pdf"], root)).toEqual({
      code: 0,
      out: "# \u001b[1mSteps\r\n",
      err: "",
    });
    expect((await runMain(["read", "--raw", "pdf"], root, { columns: 80 })).out).toBe("# \\u001b[1mSteps\n");
  });

  test("returns the activation or the raw parts as JSON [S-25] [S-60]", async () => {
    writeFile(root, "skills/pdf/SKILL.md", skillText("pdf", "x", "Do.\n"));
    expect((await runJson(["read", "pdf"], root)).data).toMatchObject({
      id: "pdf",
      text: expect.stringContaining("<skill_content"),
      tokens: expect.any(Number),
      treeHash: expect.stringMatching(/^sha256:/),
      warnings: [],
    });
    expect((await runJson(["read", "pdf", "--raw"], root)).data).toMatchObject({
      id: "pdf",
      body: "Do.\n",
      frontmatter: { name: "pdf" },
    });
  });
});
