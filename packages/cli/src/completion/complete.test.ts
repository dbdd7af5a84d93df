import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { commandTable } from "../command-table.ts";
import { registryScene } from "../registry.fixture.ts";
import { complete, type IdSource } from "./complete.ts";
import { shellScript, shells } from "./shell-script.ts";

const ids: IdSource = {
  skills: async () => [
    { word: "pdf", summary: "Reads PDF files." },
    { word: "pptx", summary: "Edits slides." },
  ],
  agents: async () => [{ word: "writer", summary: "The writer" }],
};
const wordsFor = async (...words: string[]) =>
  (await complete(words, commandTable, ids)).map(({ word }) => word);

describe("completions [S-60]", () => {
  test.each([
    { words: ["pub"], expected: ["publish"] },
    {
      words: ["audit", ""],
      expected: ["verify", "tail", "export", "prune", "keys", "trust", "revoke", "adopt"],
    },
    { words: ["audit", "ve"], expected: ["verify"] },
    { words: ["read", "p"], expected: ["pdf", "pptx"] },
    { words: ["--json", "read", "pd"], expected: ["pdf"] },
    { words: ["rollback", "pdf", ""], expected: [] },
    { words: ["init", "x", "--template", "s"], expected: ["script"] },
    { words: ["init", "x", "--templ"], expected: ["--template"] },
    { words: ["init", "x", "--template", "script", "--templ"], expected: [] },
    { words: ["grant", "pdf", "--agent", "w"], expected: ["writer"] },
    { words: ["agent", "show", ""], expected: ["writer"] },
    { words: ["validate", ""], expected: [] },
    { words: ["run", "pdf", "--", "-"], expected: [] },
    { words: ["nosuch", ""], expected: [] },
  ])("of $words are $expected", async ({ words, expected }) => {
    expect(await wordsFor(...words)).toEqual(expected);
  });

  test("of a group that is also a command are its verbs", async () => {
    expect(await wordsFor("mcp", "i")).toEqual(["install"]);
  });

  test("of an empty line are all commands", async () => {
    const words = await wordsFor("");
    expect(words).toEqual(expect.arrayContaining(["list", "audit", "mcp"]));
    expect(new Set(words).size).toBe(words.length);
  });
});

describe("the command", () => {
  const { root, text, json, skill } = registryScene({ beforeEach, afterEach });

  test("lists ids of the store for a shell [S-60]", async () => {
    await json(["publish", skill("merge-notes")]);
    expect((await text(["completion", "bash", "--", "read", "mer"])).out).toBe("merge-notes\n");
    expect((await text(["completion", "zsh", "--", "read", "mer"])).out).toBe(
      "merge-notes:Does merge-notes.\n",
    );
  });

  test("rejects an unknown shell, and survives a broken store [S-60]", async () => {
    expect(await json(["completion", "csh"])).toMatchObject({ code: 2, error: { code: "USAGE" } });
    const env = { SKILLHOLD_STORE: "nonsense" };
    expect(await text(["completion", "bash", "--", "read", ""], { env })).toMatchObject({ code: 0, out: "" });
  });

  test.each(shells)("prints a script for %s [S-60]", async (shell) => {
    expect((await text(["completion", shell])).out).toBe(shellScript(shell));
  });

  test("bash completes with the script [S-60]", () => {
    mkdirSync(join(root(), "bin"));
    // The stand-in prints its words, so that the script's own part is tested.
    writeFileSync(join(root(), "bin/skillhold"), '#!/bin/sh\nshift 3\nprintf "%s\\n" "$*-one" "$*-two"\n', {
      mode: 0o755,
    });
    writeFileSync(join(root(), "completion.bash"), shellScript("bash"));
    const program = `source completion.bash; COMP_WORDS=(skillhold read "my s"); COMP_CWORD=2; _skillhold; printf '%s|' "\${COMPREPLY[@]}"`;
    const env = { PATH: `${join(root(), "bin")}:${process.env["PATH"]}` };
    const output = execFileSync("bash", ["--norc", "-c", program], { cwd: root(), env, encoding: "utf8" });
    expect(output).toBe("read my s-one|read my s-two|");
  });
});
