import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { cleanUp, tempFolder, writeFiles } from "../eval.fixture.ts";
import { readEvalSet } from "../format/read-eval-set.ts";
import { prepareCases } from "./case-file.ts";

afterEach(cleanUp);

describe("the files of a case", () => {
  test("come from the skill, and a source outside of it leaves the case out [S-51]", () => {
    const root = tempFolder();
    writeFiles(root, { "skill/evals/files/a.txt": "A", "secret.txt": "S" });
    const { set } = readEvalSet(
      JSON.stringify([
        { id: "in", prompt: "p", files: ["evals/files/a.txt"] },
        { id: "out", prompt: "p", files: [{ path: "x", source: "../secret.txt" }] },
        { id: "up", prompt: "p", files: [{ path: "../x", content: "y" }] },
        { id: "gone", prompt: "p", files: ["evals/files/b.txt"] },
      ]),
    );
    const place = { skill: join(root, "skill"), file: join(root, "skill/evals/evals.json") };
    const { cases, problems } = prepareCases(set?.cases ?? [], place);
    expect(cases.map(({ id, contents }) => [id, contents.map(({ path }) => path)])).toEqual([
      ["in", ["a.txt"]],
    ]);
    expect(problems.map(({ at }) => at)).toEqual(["out", "up", "gone"]);
  });
});
