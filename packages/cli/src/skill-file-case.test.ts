import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runJson, runMain, writeFile } from "./fake-host.ts";

interface Row {
  readonly id: string;
  readonly path?: string;
  readonly diagnostics: readonly { readonly code: string; readonly severity: string }[];
}

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "skillhold-case-"));
  for (const [folder, file] of Object.entries(spelled))
    writeFile(
      root,
      `skills/${folder}/${file}`,
      `---\nname: ${folder}\ndescription: Does ${folder}.\n---\n# Steps\n`,
    );
  writeFile(root, "skills/two/SKILL.md", "---\nname: two\ndescription: Does two.\n---\n# Steps\n");
  writeFile(root, "skills/two/skill.md", "---\nname: other\ndescription: Not read.\n---\n# Other\n");
  writeFile(root, "skills/two/scripts/run.sh", "echo\n");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const spelled = { mixed: "Skill.md", upper: "SKILL.MD", lower: "skill.md" };
const ids = ["lower", "mixed", "two", "upper"];
const options = () => ({
  env: {
    XDG_DATA_HOME: join(root, "data"),
    XDG_CACHE_HOME: join(root, "cache"),
    SKILLHOLD_USER: "ann",
    PATH: process.env["PATH"],
  },
});
const json = (...argv: readonly string[]) => runJson(argv, root, options());
const casesOf = (rows: readonly Row[]) =>
  rows.map(({ id, diagnostics }) => [
    id,
    diagnostics.filter(({ code }) => code.startsWith("SKILL_FILE")).length,
  ]);

describe("SKILL.md in another case [S-1]", () => {
  test("is listed and read, with a warning, also from the cache of the first start [S-16]", async () => {
    for (const _start of ["first", "second"]) {
      const { data } = await json("list", "--root", "skills");
      expect(casesOf(data.skills)).toEqual(ids.map((id) => [id, 1]));
      expect(data.skills.map(({ file }: { file?: string }) => file)).toEqual([
        "skill.md",
        "Skill.md",
        undefined,
        "SKILL.MD",
      ]);
    }
    const { out } = await runMain(["read", "upper", "--root", "skills"], root, options());
    expect(out).toContain("# Steps");
    const read = await runMain(["read", "two", "--root", "skills"], root, options());
    expect(read.out).toContain("# Steps");
  });

  test("is valid with a warning, and invalid in the strict profile [S-4]", async () => {
    const lenient = await json("validate", "skills");
    expect(lenient.data.skills).toHaveLength(4);
    expect(casesOf(lenient.data.skills)).toEqual(ids.map((id) => [id, 1]));
    const strict = await json("validate", "skills", "--profile", "strict");
    expect(strict.code).toBe(3);
    const severities = strict.data.skills.map(({ diagnostics }: Row) =>
      diagnostics.flatMap(({ code, severity }) => (code.startsWith("SKILL_FILE") ? [severity] : [])),
    );
    // The reference implementation reads skill.md, too.
    expect(severities).toEqual([["warning"], ["error"], ["warning"], ["error"]]);
  });

  test("is explained, counted by doctor, and published from a root [S-19] [S-41]", async () => {
    const explained = await json("explain", "mixed", "--root", "skills");
    expect(explained.data.candidates).toMatchObject([{ id: "mixed", state: "visible" }]);
    const doctor = await runMain(["doctor", "--root", "skills"], root, options());
    expect(doctor.out).toContain("4 skill folders");
    const published = await json("publish", "skills");
    expect(
      published.data.skills.map(({ id, status }: { id: string; status: string }) => [id, status]),
    ).toEqual(ids.map((id) => [id, "published"]));
    expect((await runMain(["read", "upper"], root, options())).out).toContain("# Steps");
  });
});
