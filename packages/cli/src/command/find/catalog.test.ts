import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runJson, runMain, skillText, writeFile } from "../../fake-host.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skillhold-catalog-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe("catalog", () => {
  test("prints the catalogue on stdout and its cost on stderr [S-22] [S-60]", async () => {
    writeFile(root, "skills/pdf/SKILL.md", skillText("pdf", "Reads PDF."));
    const { code, out, err } = await runMain(["catalog"], root);
    expect(code).toBe(0);
    expect(out).toContain("• `pdf`");
    expect(err).toMatch(/^about \d+ tokens as markdown: 1 skill inline\n$/);
    const { data } = await runJson(["catalog"], root);
    expect(Object.keys(data).sort()).toEqual([
      "deferred",
      "digest",
      "format",
      "inline",
      "leftOut",
      "shortened",
      "text",
      "tokens",
    ]);
    expect(data).toMatchObject({ format: "markdown", inline: ["pdf"], deferred: 0 });
    expect(`${data.text}\n`).toBe(out);
  });

  test.each([
    [["--format", "xml"], "xml"],
    [["--format", "xml-attr"], "xml-attr"],
    [["--format", "json"], "json"],
    [["--model", "claude-opus"], "xml"],
    [["--model", "gpt"], "markdown"],
  ])("with %j writes %s [S-21]", async (argv, format) => {
    writeFile(root, "skills/pdf/SKILL.md", skillText("pdf", "Reads PDF."));
    expect((await runJson(["catalog", ...argv], root)).data).toMatchObject({ format, inline: ["pdf"] });
  });

  test("includes paths only with --locations [S-21]", async () => {
    writeFile(root, "skills/pdf/SKILL.md", skillText("pdf", "Reads PDF."));
    const place = join(root, "skills/pdf");
    expect((await runMain(["catalog", "--format", "xml"], root)).out).not.toContain(place);
    expect((await runMain(["catalog", "--format", "xml", "--locations"], root)).out).toContain(place);
  });

  test("keeps the budget: pins first, then skills that fit the task [S-22] [S-61]", async () => {
    for (let index = 0; index < 50; index += 1)
      writeFile(root, `skills/s${index}/SKILL.md`, skillText(`s${index}`, `Does thing ${index}. `.repeat(6)));
    writeFile(root, "skills/slides/SKILL.md", skillText("slides", "Makes presentations."));
    const argv = ["catalog", "--budget", "200", "--pin", "s49", "--pin", "s48", "--task", "a presentation"];
    const { data } = await runJson(argv, root);
    expect(data.inline.slice(0, 3)).toEqual(["s49", "s48", "slides"]);
    expect(data.tokens).toBeLessThanOrEqual(200);
    expect(data.inline.length + data.deferred).toBe(51);
    expect((await runMain(argv, root)).err).toMatch(
      /inline\nfound by search only: s1, .* more\nKeep a skill in the list with --pin /,
    );
  });

  test("is agent-scoped, and empty for an agent without skills [S-22]", async () => {
    writeFile(root, "skills/pdf/SKILL.md", skillText("pdf", "Reads PDF."));
    writeFile(root, "skills/mail/SKILL.md", skillText("mail", "Sends."));
    const some = await runJson(["catalog", "--agent", "writer", "--allow", "mail"], root);
    expect(some.data.inline).toEqual(["mail"]);
    const none = await runMain(["catalog", "--agent", "writer", "--allow", ""], root);
    expect(none).toMatchObject({ code: 0, out: "", err: expect.stringContaining("sees no skills") });
  });

  test("rejects a budget out of range [S-60]", async () => {
    const result = await runJson(["catalog", "--budget", "3"], root);
    expect(result).toMatchObject({ code: 2, error: { code: "USAGE" } });
  });
});
