import type { PathChange } from "@skillhold/core/session";
import { comparePaths } from "@skillhold/skill";
import type { TreeFile } from "../record/registered-skill.ts";

/** The changed paths between two file lists, without text. */
export function listChanges(from: readonly TreeFile[], to: readonly TreeFile[]): readonly PathChange[] {
  return pairFiles(from, to).map(({ path, change }) => ({ path, change }));
}

/** A file before and after a change; undefined where it does not exist. */
export interface FilePair {
  readonly from: TreeFile | undefined;
  readonly to: TreeFile | undefined;
}

/** The differing files, ordered by path. */
export function pairFiles(
  from: readonly TreeFile[],
  to: readonly TreeFile[],
): readonly (PathChange & FilePair)[] {
  const before = new Map(from.map((file) => [file.path, file]));
  const after = new Map(to.map((file) => [file.path, file]));
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort(comparePaths);
  return paths.flatMap((path) => {
    const pair = { from: before.get(path), to: after.get(path) };
    const change = changeOf(pair);
    return change === undefined ? [] : [{ path, change, ...pair }];
  });
}

function changeOf({ from, to }: FilePair): PathChange["change"] | undefined {
  if (from === undefined) return "added";
  if (to === undefined) return "removed";
  if (from.digest !== to.digest) return "changed";
  return from.executable === to.executable ? undefined : "mode";
}
