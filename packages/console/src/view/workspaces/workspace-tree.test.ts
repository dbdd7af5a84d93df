import type { WorkspaceView } from "@skillhold/protocol/http";
import { expect, test } from "vitest";
import { toTrees, type WorkspaceBranch } from "./workspace-tree.ts";

const at = "2026-01-01T00:00:00.000Z";
const workspace = (id: string, parent?: string): WorkspaceView => ({
  ...{ id, name: id, description: "", owner: "ann", runtime: "test", status: "online", task: "" },
  ...{ activeTasks: 0, errorRate: 0, sampleError: "", uptimeSeconds: 0, skills: [], pushes: [] },
  ...{ hasFolder: true, problems: [], createdAt: at, updatedAt: at },
  ...(parent === undefined ? {} : { parent }),
});
const shape = ({ workspace: { id }, children }: WorkspaceBranch): unknown => [id, children.map(shape)];

test("shows children below their parents, and every workspace once [S-56] [S-59]", () => {
  const all = [workspace("a"), workspace("b", "a"), workspace("c", "b"), workspace("d", "gone")];
  expect(toTrees(all).map(shape)).toEqual([
    ["a", [["b", [["c", []]]]]],
    ["d", []],
  ]);
  expect(toTrees([workspace("a", "b"), workspace("b", "a")]).map(shape)).toEqual([["a", [["b", []]]]]);
});
