import { posix } from "node:path";
import type { CodeText } from "./code-scan.ts";
import type { FileType } from "./file-type.ts";
import { readPackageJson } from "./package-json.ts";
import {
  inlineBlock,
  type ParseToml,
  type ProjectReading,
  readInlineMetadata,
  readPyproject,
} from "./pyproject.ts";
import { moduleOf } from "./python-distribution.ts";
import { type Requirement, readRequirements } from "./requirement.ts";
import type { Tally } from "./tally.ts";
import { TextLines } from "./text-line.ts";

export interface ManifestSurroundings {
  readonly paths: ReadonlySet<string>;
  readonly parseToml: ParseToml;
  /** Packages for work on the code, which are declared but not needed by that. */
  readonly development: Set<string>;
  /** Names of the packages that the bundle itself is. */
  readonly packages: Set<string>;
}

/** Adds what a manifest declares; for a script of Python, its inline metadata is one. */
export function tallyManifest(
  file: CodeText,
  type: FileType,
  around: ManifestSurroundings,
  tally: Tally,
): void {
  const { parseToml } = around;
  if (type === "requirements") tallyRequirements(file, around, tally);
  else if (type === "package") tallyPackage(file, around, tally);
  else if (type === "pyproject") tallyProject(file, readPyproject(file.text, parseToml), tally);
  else if (type === "python" && inlineBlock(file.text) !== undefined)
    tallyProject(file, readInlineMetadata(file.text, parseToml), tally);
}

/** Files of requirements for tests and for work on the code. */
const FOR_DEVELOPMENT =
  /(?:^|[-_./])(?:dev|develop|development|test|tests|testing|lint|docs?|ci|optional)(?:[-_.]|$)/i;

function tallyRequirements({ path, text }: CodeText, around: ManifestSurroundings, tally: Tally): void {
  const list = readRequirements(text);
  const name = path.slice(path.lastIndexOf("/") + 1);
  const isOptional = FOR_DEVELOPMENT.test(name);
  for (const { line, ...requirement } of list.requirements)
    addRequirement(requirement, { file: path, line }, isOptional, tally);
  for (const other of list.others)
    tally.note(path, `line ${other.line} names no distribution of an index: ${quote(other.text)}`);
  // Files that it includes are read as what they are; only what the bundle lacks is worth a word.
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  for (const included of list.included) {
    const target = posix.normalize(folder + included.replaceAll("\\", "/"));
    if (!around.paths.has(target))
      tally.note(path, `it includes ${quote(included)}, which is not in the bundle`);
  }
}

function tallyProject({ path, text }: CodeText, reading: ProjectReading | undefined, tally: Tally): void {
  if (reading === undefined) tally.note(path, "its TOML cannot be read");
  if (reading === undefined) return;
  const lines = new TextLines(text);
  for (const requirement of reading.requirements)
    addRequirement(requirement, { file: path, line: lines.lineOf(requirement.name) }, false, tally);
  for (const other of reading.others)
    tally.note(path, `it names no distribution of an index: ${quote(other)}`);
}

function addRequirement(
  { name, optional }: Requirement,
  place: { readonly file: string; readonly line: number },
  isOptional: boolean,
  tally: Tally,
): void {
  tally.add({
    ...place,
    kind: "pip",
    name,
    import: moduleOf(name),
    optional: optional || isOptional,
    declared: true,
  });
}

function tallyPackage({ path, text }: CodeText, around: ManifestSurroundings, tally: Tally): void {
  const reading = readPackageJson(text);
  if (reading === undefined) tally.note(path, "it is no JSON object and was not read");
  if (reading === undefined) return;
  const lines = new TextLines(text);
  if (reading.name !== undefined) around.packages.add(reading.name);
  for (const name of reading.development) around.development.add(name);
  for (const dependency of reading.dependencies)
    tally.add({
      ...dependency,
      kind: "npm",
      declared: true,
      file: path,
      line: lines.lineOf(dependency.import),
    });
  for (const other of reading.others) tally.note(path, `it names no package of a registry: ${quote(other)}`);
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 120));
}
