import type { WorkspaceView } from "@skillhold/protocol/http";

/** A workspace with those below it. */
export interface WorkspaceBranch {
  readonly workspace: WorkspaceView;
  readonly children: readonly WorkspaceBranch[];
}

/** The type of the dragged data; a page of another origin cannot read it. */
export const SKILL_TYPE = "application/x-skillhold-skill";

/** Workspaces as trees. A workspace without a listed parent is a root; a loop of parents is cut. */
export function toTrees(all: readonly WorkspaceView[]): readonly WorkspaceBranch[] {
  const known = new Set(all.map(({ id }) => id));
  const placed = new Set<string>();
  const branch = (workspace: WorkspaceView): WorkspaceBranch => {
    placed.add(workspace.id);
    const below = all.filter(({ id, parent }) => parent === workspace.id && !placed.has(id));
    return { workspace, children: below.map(branch) };
  };
  const roots = all.filter(({ parent }) => parent === undefined || !known.has(parent)).map(branch);
  const rest = all.flatMap((workspace) => (placed.has(workspace.id) ? [] : [branch(workspace)]));
  return [...roots, ...rest];
}
