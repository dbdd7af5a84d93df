import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hashSkillFile } from "@skillhold/core/bundle";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { mergeTrees } from "./merge.ts";

const folder = mkdtempSync(join(tmpdir(), "skillhold-merge-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(path: string, text: string | Uint8Array, executable = false) {
  const content = Buffer.from(text);
  return { path, content, size: content.length, executable, digest: hashSkillFile(content) };
}

/** What git makes of the same three texts: undefined for a conflict. */
function gitMerge(base: string, ours: string, theirs: string): string | undefined {
  const paths = [ours, base, theirs].map((text, at) => {
    const path = join(folder, String(at));
    writeFileSync(path, text);
    return path;
  });
  try {
    return execFileSync("git", ["merge-file", "-p", "--diff3", ...paths], {
      stdio: ["ignore", "pipe", "ignore"],
    }).toString();
  } catch {
    return undefined;
  }
}

describe("merging trees", () => {
  test("takes the side that changed, for every way a file can change [S-47]", () => {
    const base = [
      file("same", "1"),
      file("mine", "1"),
      file("theirs", "1"),
      file("gone-here", "1"),
      file("gone-there", "1"),
      file("mode", "1"),
    ];
    const ours = [
      file("same", "1"),
      file("mine", "2"),
      file("theirs", "1"),
      file("gone-there", "1"),
      file("new-here", "1"),
      file("mode", "1", true),
    ];
    const theirs = [
      file("same", "1"),
      file("mine", "1"),
      file("theirs", "2"),
      file("gone-here", "1"),
      file("new-there", "1"),
      file("mode", "2"),
    ];
    const merge = mergeTrees(base, ours, theirs);
    expect(merge).toMatchObject({ kind: "merged", changed: ["gone-there", "mode", "new-there", "theirs"] });
    const found =
      merge.kind === "merged"
        ? merge.files.map(({ path, content, executable }) => [path, String(content), executable])
        : [];
    expect(found).toEqual([
      ["mine", "2", false],
      ["mode", "2", true],
      ["new-here", "1", false],
      ["new-there", "1", false],
      ["same", "1", false],
      ["theirs", "2", false],
    ]);
  });

  test.each([
    [
      "both changed a binary",
      [file("a", Buffer.of(0, 1))],
      [file("a", Buffer.of(0, 2))],
      [file("a", Buffer.of(0, 3))],
      "binary",
    ],
    ["an edited file was removed", [file("a", "1\n")], [file("a", "2\n")], [], "edited-and-removed"],
    ["a removed file was changed", [file("a", "1\n")], [], [file("a", "2\n")], "removed-and-changed"],
    ["both added another file", [], [file("a", "1\n")], [file("a", "2\n")], "both-added"],
    ["both changed a line", [file("a", "1\n")], [file("a", "2\n")], [file("a", "3\n")], "both-changed"],
  ] as const)("is a conflict when %s [S-47]", (_, base, ours, theirs, reason) => {
    expect(mergeTrees(base, ours, theirs)).toMatchObject({
      kind: "conflict",
      conflicts: [{ path: "a", reason }],
    });
  });

  test("keeps local edits beside a conflict when the source's side is taken [S-47]", () => {
    const text = (first: string, last: string) => `${first}\n2\n3\n4\n${last}\n`;
    const merge = mergeTrees(
      [file("a", text("1", "5"))],
      [file("a", text("mine", "kept"))],
      [file("a", text("new", "5"))],
    );
    const [conflict] = merge.kind === "conflict" ? merge.conflicts : [];
    expect(conflict).toEqual({
      path: "a",
      reason: "both-changed",
      text: expect.stringContaining("<<<<<<< here\nmine\n"),
    });
    const [resolved] = merge.kind === "conflict" ? merge.theirs : [];
    expect(String(resolved?.content)).toBe(text("new", "kept"));
  });

  test("agrees with git on texts of lines [S-47]", () => {
    const lines = fc
      .integer({ min: 4, max: 9 })
      .map((length) => Array.from({ length }, (_, at) => `line ${at}`));
    const edit = (text: readonly string[]) =>
      fc
        .tuple(fc.nat(text.length - 1), fc.constantFrom("x", "y", ""))
        .map(([at, word]) => text.with(at, word));
    const three = lines.chain((base) => fc.tuple(fc.constant(base), edit(base), edit(base)));
    fc.assert(
      fc.property(three, ([base, ours, theirs]) => {
        const [from, mine, other] = [base, ours, theirs].map((each) =>
          each.map((line) => `${line}\n`).join(""),
        );
        const merge = mergeTrees([file("a", from ?? "")], [file("a", mine ?? "")], [file("a", other ?? "")]);
        const expected = gitMerge(from ?? "", mine ?? "", other ?? "");
        expect(merge.kind).toBe(expected === undefined ? "conflict" : "merged");
        if (merge.kind === "merged") expect(String(merge.files[0]?.content)).toBe(expected);
      }),
      { numRuns: 60 },
    );
  });
});
