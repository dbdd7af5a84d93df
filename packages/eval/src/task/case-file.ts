import { readdirSync, realpathSync } from "node:fs";
import { dirname, join, posix, relative, resolve, sep } from "node:path";
import { readBounded } from "@skillhold/core/bundle";
import type { CaseFile, EvalCase, EvalProblem } from "../format/eval-set.ts";
import { isPlainPath } from "../runner/work-folder.ts";
import type { PreparedCase } from "./task-run.ts";

const LARGEST_FILE = 20 * 1024 * 1024;
const MOST_TEST_FILES = 500;

export interface CaseFilePlace {
  /** The skill's folder; sources may not leave it, nor the folder of the eval file. */
  readonly skill: string;
  /** The eval file. */
  readonly file: string;
}

/** Reads the files of the cases. A file that is missing or outside is a problem, and its case is left out. */
export function prepareCases(
  cases: readonly EvalCase[],
  place: CaseFilePlace,
): { readonly cases: readonly PreparedCase[]; readonly problems: readonly EvalProblem[] } {
  const problems: EvalProblem[] = [];
  const prepared = cases.flatMap((evalCase): readonly PreparedCase[] => {
    const contents = copiedFiles(evalCase, place);
    for (const file of evalCase.files) {
      const content = isPlainPath(file.path) ? (file.content ?? readSource(file, place)) : undefined;
      if (content === undefined) {
        const name = file.source ?? file.path;
        const message = `The file ${name} is missing or outside the skill; the case is left out.`;
        problems.push({ at: evalCase.id, message });
        return [];
      }
      contents.push({ path: file.path, content });
    }
    return [{ ...evalCase, contents }];
  });
  return { cases: prepared, problems };
}

function readSource({ source = "" }: CaseFile, { skill, file }: CaseFilePlace): Uint8Array | undefined {
  for (const base of [skill, dirname(file)]) {
    const read = readInside(resolve(base, source), [skill, dirname(file)]);
    if (read !== undefined) return read;
  }
  return undefined;
}

/** A file below one of the roots, links resolved. */
function readInside(path: string, roots: readonly string[]): Uint8Array | undefined {
  try {
    const real = realpathSync(path);
    const isInside = roots.some((root) => {
      const below = relative(realpathSync(root), real);
      return below !== "" && below !== ".." && !below.startsWith(`..${sep}`);
    });
    if (!isInside) return undefined;
    const read = readBounded(real, LARGEST_FILE);
    return "problem" in read ? undefined : read.bytes;
  } catch {
    return undefined;
  }
}

/** With `copy_test_files`, everything beside the eval file. */
function copiedFiles(
  { origin }: EvalCase,
  { file }: CaseFilePlace,
): { path: string; content: string | Uint8Array }[] {
  const setup: unknown = origin.record["setup"];
  const isWanted =
    typeof setup === "object" && setup !== null && Reflect.get(setup, "copy_test_files") === true;
  if (!isWanted) return [];
  const root = dirname(file);
  const files: { path: string; content: Uint8Array }[] = [];
  const visit = (folder: string) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = posix.join(folder, entry.name);
      if (files.length >= MOST_TEST_FILES || resolve(root, path) === resolve(file)) continue;
      if (entry.isDirectory()) visit(path);
      const content = entry.isFile() ? readInside(join(root, path), [root]) : undefined;
      if (content !== undefined) files.push({ path, content });
    }
  };
  visit("");
  return files;
}
