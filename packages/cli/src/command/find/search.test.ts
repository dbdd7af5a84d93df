import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runJson, runMain, skillText, writeFile } from "../../fake-host.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skillhold-search-"));
  writeFile(root, "skills/pdf/SKILL.md", skillText("pdf", "Merges and splits PDF files."));
  writeFile(root, "skills/slides/SKILL.md", skillText("slides", "Makes presentations.", "Export to PDF.\n"));
  writeFile(root, "skills/mail/SKILL.md", skillText("mail", "Sends letters."));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe("search", () => {
  test("ranks matching skills with the matched words and a snippet [S-61] [S-60]", async () => {
    const { code, out, err } = await runMain(["search", "merge", "pdf"], root);
    expect({ code, err }).toEqual({ code: 0, err: "2 hits: run `skillhold read <id>` to print one\n" });
    const lines = out.split("\n");
    expect(lines[0]).toMatch(/^ {1,2}1\. pdf {2}\d\.\d\d {2}.*merge.* in name, description/);
    expect(lines[1]).toBe("    Merges and splits PDF files.");
    expect(lines[2]).toMatch(/^ {1,2}2\. slides /);
  });

  test("returns the match details as JSON [S-61] [S-60]", async () => {
    const { code, data } = await runJson(["search", "merge", "pdf", "--root", "skills"], root);
    expect(code).toBe(0);
    expect(data.query).toBe("merge pdf");
    expect(data.hits[0]).toMatchObject({
      rank: 1,
      id: "pdf",
      score: expect.any(Number),
      why: {
        matched: expect.arrayContaining(["merge", "pdf"]),
        fields: expect.arrayContaining(["name", "description"]),
        parts: { bm25: 1, coverage: 1 },
      },
      snippet: "Merges and splits PDF files.",
      source: "skills",
    });
  });

  test("applies --limit and rejects an invalid one [S-60]", async () => {
    expect((await runJson(["search", "pdf", "--limit", "1"], root)).data.hits).toHaveLength(1);
    for (const limit of ["0", "many", "1.5", "-1"]) {
      const result = await runJson(["search", "pdf", `--limit=${limit}`], root);
      expect(result).toMatchObject({ code: 2, error: { code: "USAGE" } });
    }
  });

  test("exits 0 without a match and prints the number of searched skills [S-60]", async () => {
    const { code, out, err } = await runMain(["search", "zymurgy"], root);
    expect({ code, out }).toEqual({ code: 0, out: "" });
    expect(err).toContain('No match for "zymurgy" in 3 skills.\n');
    expect((await runJson(["search", "zymurgy"], root)).data.hits).toEqual([]);
  });

  test("finds only skills that the viewer may see [S-61]", async () => {
    const { data } = await runJson(["search", "pdf", "--allow", "slides"], root);
    expect(data.hits.map(({ id }: { id: string }) => id)).toEqual(["slides"]);
  });
});
