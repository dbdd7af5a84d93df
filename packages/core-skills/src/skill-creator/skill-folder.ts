import { lstatSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { SkillError } from "@skillhold/protocol/error";
import { defaultLimits } from "@skillhold/protocol/limits";
import {
  comparePaths,
  compileIgnoreRules,
  type Finding,
  findPathProblem,
  IGNORE_FILE_BYTES,
  IGNORE_FILES,
  type IgnoreRules,
} from "@skillhold/skill";
import { inputError, messageOf, ScriptError } from "../shared/script-error.ts";
import type { ScriptIo } from "../shared/script-io.ts";

/** A skill as files, without junk and ignored files. */
export interface SkillFolder {
  readonly path: string;
  /** The name of the folder. */
  readonly name: string;
  /** Sorted by path. */
  readonly files: readonly SkillFile[];
  /** One finding for each entry that cannot be part of a skill: links, special files and unsafe names. */
  readonly findings: readonly Finding[];
}

export interface SkillFile {
  /** Relative, with slashes. */
  readonly path: string;
  readonly absolute: string;
  readonly size: number;
  readonly isExecutable: boolean;
}

/** Lists the files of a skill folder. Runs no code and follows no link. */
export function openSkillFolder(path: string, io: ScriptIo): SkillFolder {
  const absolute = resolve(io.cwd, path);
  const stats = lstatSync(absolute, { throwIfNoEntry: false });
  if (stats === undefined) throw new ScriptError("FILE_NOT_FOUND", `There is no folder ${path}.`);
  if (!stats.isDirectory())
    throw inputError("NOT_A_FOLDER", `${path} is not a folder.`, "Name the folder of a skill.");
  const walk = new FolderWalk(absolute, path);
  walk.visit("", 0);
  const files = walk.files.toSorted((a, b) => comparePaths(a.path, b.path));
  return { path, name: basename(absolute), files, findings: walk.findings };
}

class FolderWalk {
  readonly files: SkillFile[] = [];
  readonly findings: Finding[] = [];
  readonly #root: string;
  readonly #label: string;
  readonly #rules: IgnoreRules;
  #bytes = 0;

  constructor(root: string, label: string) {
    this.#root = root;
    this.#label = label;
    this.#rules = readIgnoreRules(root);
  }

  visit(folder: string, depth: number): void {
    if (depth > defaultLimits.pathDepth)
      throw inputError("LIMIT_EXCEEDED", `${this.#label} is nested too deeply.`);
    for (const entry of readdirSync(join(this.#root, folder), { withFileTypes: true })) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (this.#rules.omits(path, entry.name, entry.isDirectory()) !== undefined) continue;
      const problem = findPathProblem(path);
      if (entry.isSymbolicLink()) this.#leaveOut(path, "is a link");
      else if (!entry.isFile() && !entry.isDirectory()) this.#leaveOut(path, "is not a regular file");
      else if (problem !== undefined) this.#leaveOut(path, problem);
      else if (entry.isDirectory()) this.visit(path, depth + 1);
      else this.#add(path);
    }
  }

  #leaveOut(path: string, problem: string): void {
    const message = `${path} is left out of the skill because it ${problem}.`;
    this.findings.push({ code: "FILE_LEFT_OUT", line: 1, column: 1, message, file: path });
  }

  #add(path: string): void {
    const absolute = join(this.#root, path);
    const { size, mode } = statSync(absolute);
    this.#bytes += size;
    this.files.push({ path, absolute, size, isExecutable: (mode & 0o100) !== 0 });
    const { bundleFiles, unpackedBytes } = defaultLimits;
    if (this.files.length <= bundleFiles && this.#bytes <= unpackedBytes) return;
    throw inputError(
      "LIMIT_EXCEEDED",
      `${this.#label} has more than ${bundleFiles} files or ${unpackedBytes} bytes.`,
    );
  }
}

/** An ignore file that exists and cannot be read is an error, so that no excluded file is packed. */
function readIgnoreRules(root: string): IgnoreRules {
  const files = IGNORE_FILES.map((name) => ({ name, text: readIgnoreFile(root, name) }));
  try {
    return compileIgnoreRules(files);
  } catch (error) {
    throw error instanceof SkillError ? inputError(error.code, error.message) : error;
  }
}

function readIgnoreFile(root: string, name: string): string {
  const path = join(root, name);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return "";
  if (!stats.isFile()) throw inputError("SKILL_INVALID", `The ignore file ${name} is not a regular file.`);
  if (stats.size > IGNORE_FILE_BYTES)
    throw inputError("LIMIT_EXCEEDED", `The ignore file ${name} is larger than ${IGNORE_FILE_BYTES} bytes.`);
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw inputError("SKILL_INVALID", `The ignore file ${name} cannot be read: ${messageOf(error)}`);
  }
}
