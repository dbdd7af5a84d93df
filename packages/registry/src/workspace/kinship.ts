import type { AgentRecord } from "../record/agent.ts";
import type { WorkspaceRecord } from "../record/workspace.ts";

/** A workspace whose agent exists. */
export interface WorkspaceNode {
  readonly agent: AgentRecord;
  readonly record: WorkspaceRecord;
}

export type WorkspaceTree = ReadonlyMap<string, WorkspaceNode>;

/** Longer chains of parents are not followed. */
const MAX_LEVELS = 32;

/**
 * Whether two workspaces may see each other and talk: a workspace with itself, siblings, and an ancestor with its
 * descendants. Roots are siblings when they have the same owner. An unknown workspace talks to no workspace.
 */
export function mayTalk(a: string, b: string, tree: WorkspaceTree): boolean {
  const [one, other] = [tree.get(a), tree.get(b)];
  if (one === undefined || other === undefined) return false;
  if (a === b || isSibling(one, other, tree)) return true;
  return ancestorsOf(a, tree).includes(b) || ancestorsOf(b, tree).includes(a);
}

/** The siblings, the children and the parent of a workspace, in the order of the tree. */
export function peersOf(key: string, tree: WorkspaceTree): readonly WorkspaceNode[] {
  const own = tree.get(key);
  if (own === undefined) return [];
  const parent = parentOf(own, tree);
  return [...tree.values()].filter(
    (each) =>
      each.agent.key !== key &&
      (each.agent.key === parent || parentOf(each, tree) === key || isSibling(own, each, tree)),
  );
}

/** Whether a workspace would become its own ancestor, or the chain of parents too long. */
export function isParentLoop(key: string, parent: string, tree: WorkspaceTree): boolean {
  const above = [parent, ...ancestorsOf(parent, tree)];
  return above.includes(key) || above.length >= MAX_LEVELS;
}

function isSibling(a: WorkspaceNode, b: WorkspaceNode, tree: WorkspaceTree): boolean {
  const [parentA, parentB] = [parentOf(a, tree), parentOf(b, tree)];
  if (parentA !== parentB) return false;
  return parentA !== undefined || a.agent.owner === b.agent.owner;
}

/** A parent that was removed leaves its children without one. */
function parentOf({ record }: WorkspaceNode, tree: WorkspaceTree): string | undefined {
  return record.parent !== undefined && tree.has(record.parent) ? record.parent : undefined;
}

function ancestorsOf(key: string, tree: WorkspaceTree): readonly string[] {
  const found: string[] = [];
  let next = tree.get(key);
  while (next !== undefined && found.length < MAX_LEVELS) {
    const parent = parentOf(next, tree);
    if (parent === undefined || found.includes(parent)) break;
    found.push(parent);
    next = tree.get(parent);
  }
  return found;
}
