import { isUtf8 } from "node:buffer";
import { hashSkillFile } from "@skillhold/core/bundle";
import { comparePaths } from "@skillhold/skill";
import { diff3Merge } from "node-diff3";
import type { StagedFile } from "../record/staged-skill.ts";

/** The result of a three-way merge. A conflict changes no file; `theirs` has the source's side of each conflict. */
export type Merge =
  | { readonly kind: "merged"; readonly files: readonly StagedFile[]; readonly changed: readonly string[] }
  | { readonly kind: "conflict"; readonly conflicts: readonly MergeConflict[]; readonly theirs: Tree };

export interface MergeConflict {
  readonly path: string;
  readonly reason: "both-changed" | "edited-and-removed" | "removed-and-changed" | "both-added" | "binary";
  /** Both sides with markers, for text. */
  readonly text?: string;
}

type Tree = readonly StagedFile[];

/**
 * Merges the changes of a source into local edits, file by file. If only one side changed a file, that side wins; if
 * both sides did, text is merged line by line.
 */
export function mergeTrees(base: Tree, ours: Tree, theirs: Tree): Merge {
  const [from, here, there] = [base, ours, theirs].map(
    (tree) => new Map(tree.map((file) => [file.path, file])),
  );
  const paths = [...new Set([...ours, ...theirs, ...base].map(({ path }) => path))].sort(comparePaths);
  const files: StagedFile[] = [];
  const conflicts: MergeConflict[] = [];
  const changed: string[] = [];
  for (const path of paths) {
    const [before, mine, new_] = [from?.get(path), here?.get(path), there?.get(path)];
    const merged = mergeFile(path, before, mine, new_);
    if (merged !== undefined && "reason" in merged) {
      const { resolved = new_, ...conflict } = merged;
      conflicts.push(conflict);
      if (resolved !== undefined) files.push(resolved);
    } else {
      if (merged !== undefined) files.push(merged);
      if (!isSame(merged, mine)) changed.push(path);
    }
  }
  return conflicts.length > 0
    ? { kind: "conflict", conflicts, theirs: files }
    : { kind: "merged", files, changed };
}

type Side = StagedFile | undefined;

/** A conflict, and the merged text with the source's side of it. */
type FileConflict = MergeConflict & { readonly resolved?: StagedFile };

/** Undefined for a file that is gone. */
function mergeFile(
  path: string,
  base: Side,
  ours: Side,
  theirs: Side,
): StagedFile | FileConflict | undefined {
  if (isSame(ours, theirs) || isSame(base, theirs)) return ours;
  if (isSame(base, ours)) return theirs;
  if (ours === undefined) return { path, reason: "removed-and-changed" };
  if (theirs === undefined) return { path, reason: "edited-and-removed" };
  const executable = base?.executable === ours.executable ? theirs.executable : ours.executable;
  if (ours.digest === theirs.digest || base?.digest === theirs.digest) return { ...ours, executable };
  if (base?.digest === ours.digest) return { ...theirs, executable };
  if (base === undefined && !areText([ours, theirs])) return { path, reason: "both-added" };
  return mergeText(path, base, ours, theirs, executable);
}

function isSame(a: Side, b: Side): boolean {
  return a?.digest === b?.digest && a?.executable === b?.executable;
}

function areText(files: readonly StagedFile[]): boolean {
  return files.every(({ content }) => isUtf8(content) && !content.includes(0));
}

function mergeText(
  path: string,
  base: Side,
  ours: StagedFile,
  theirs: StagedFile,
  executable: boolean,
): StagedFile | FileConflict {
  if (!areText([ours, theirs, ...(base === undefined ? [] : [base])])) return { path, reason: "binary" };
  const [mine, from, other] = [ours, base, theirs].map(linesOf);
  const regions = diff3Merge(mine ?? [], from ?? [], other ?? [], { excludeFalseConflicts: true });
  const hasConflict = regions.some(({ conflict }) => conflict !== undefined);
  const lines = regions.flatMap(({ ok, conflict }) =>
    conflict === undefined
      ? (ok ?? [])
      : ["<<<<<<< here\n", ...endLine(conflict.a), "=======\n", ...endLine(conflict.b), ">>>>>>> source\n"],
  );
  const merged = regions.flatMap(({ ok, conflict }) => ok ?? conflict?.b ?? []);
  const content = Buffer.from(merged.join(""));
  const resolved = { path, content, size: content.length, executable, digest: hashSkillFile(content) };
  if (!hasConflict) return resolved;
  return {
    path,
    reason: base === undefined ? "both-added" : "both-changed",
    text: lines.join(""),
    resolved,
  };
}

/** With their ends, so that a file without a last line end stays so. */
function linesOf(file: Side): string[] {
  return file === undefined
    ? []
    : (Buffer.from(file.content)
        .toString("utf8")
        .match(/[^\n]*\n|[^\n]+$/g) ?? []);
}

function endLine(lines: readonly string[]): readonly string[] {
  return lines.map((line) => (line.endsWith("\n") ? line : `${line}\n`));
}
