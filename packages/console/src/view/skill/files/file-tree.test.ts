import { expect, test } from "vitest";
import type { SkillFile } from "../skill-view.ts";
import { type FileNode, treeOf } from "./file-tree.ts";

const file = (path: string): SkillFile => ({
  path,
  size: 1,
  digest: `sha256:${"0".repeat(64)}` as SkillFile["digest"],
  executable: false,
  role: path === "SKILL.md" ? "instructions" : "resource",
});
const draw = (nodes: readonly FileNode[]): unknown =>
  nodes.map((node) => (node.kind === "file" ? node.name : [node.path, draw(node.children)]));

test("shows a tree with the instructions first, then folders, then files [S-59]", () => {
  const paths = ["z.txt", "scripts/lib/b.py", "SKILL.md", "a.md", "scripts/a.py", "assets/x"];
  expect(draw(treeOf(paths.map(file)))).toEqual([
    "SKILL.md",
    ["assets", ["x"]],
    ["scripts", [["scripts/lib", ["b.py"]], "a.py"]],
    "a.md",
    "z.txt",
  ]);
});

test("handles files named like object properties [S-59]", () => {
  expect(draw(treeOf(["__proto__/a", "constructor"].map(file)))).toEqual([
    ["__proto__", ["a"]],
    "constructor",
  ]);
});
