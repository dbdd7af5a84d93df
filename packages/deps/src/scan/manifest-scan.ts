import { posix } from "node:path";
import type { CodeText } from "./code-scan.ts";
import type { FileType } from "./file-type.ts";
import { isNpmName } from "./package-name.ts";
import {
  inlineBlock,
  type ParseToml,
  type ProjectReading,
  readInlineMetadata,
  readPyproject,
} from "./pyproject.ts";
import { moduleOf } from "./python-distribution.ts";
import { type Requirement, readRequirements } from "./requirement.ts";
import type { DependencyTally } from "./tally.ts";
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
  tally: DependencyTally,
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

function tallyRequirements(
  { path, text }: CodeText,
  around: ManifestSurroundings,
  tally: DependencyTally,
): void {
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

function tallyProject(
  { path, text }: CodeText,
  reading: ProjectReading | undefined,
  tally: DependencyTally,
): void {
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
  tally: DependencyTally,
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

function tallyPackage({ path, text }: CodeText, around: ManifestSurroundings, tally: DependencyTally): void {
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

/** What a package.json says of packages. */
interface PackageReading {
  /** Its own name: importing it is importing the bundle. */
  readonly name: string | undefined;
  readonly dependencies: readonly PackageRequirement[];
  /** Packages for work on the code: needed only if the code asks for them. */
  readonly development: readonly string[];
  /** Names that are none, and packages that come from elsewhere than a registry. */
  readonly others: readonly string[];
}

interface PackageRequirement {
  /** As it is installed; `import` is the name it is installed under. */
  readonly name: string;
  readonly import: string;
  readonly optional: boolean;
}

/** Undefined when it is no JSON object. */
function readPackageJson(text: string): PackageReading | undefined {
  const root = parse(text);
  if (root === undefined) return undefined;
  const others: string[] = [];
  const optional = tableOf(root["optionalDependencies"]);
  const required = Object.entries(tableOf(root["dependencies"])).filter(([name]) => !(name in optional));
  const dependencies = [
    ...required.flatMap(([name, range]) => requirement(name, range, false, others)),
    ...Object.entries(optional).flatMap(([name, range]) => requirement(name, range, true, others)),
    ...Object.entries(tableOf(root["peerDependencies"])).flatMap(([name, range]) =>
      requirement(name, range, true, others),
    ),
  ];
  const development = Object.keys(tableOf(root["devDependencies"])).filter(isNpmName);
  return { name: ownName(root), dependencies, development, others };
}

/** Templates are named after what they show: a package that depends on its own name means another. */
function ownName(root: Table): string | undefined {
  const { name } = root;
  if (typeof name !== "string") return undefined;
  return name in tableOf(root["dependencies"]) || name in tableOf(root["devDependencies"]) ? undefined : name;
}

type Table = Readonly<Record<string, unknown>>;

function parse(text: string): Table | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? tableOf(value) : undefined;
  } catch {
    // JSON.parse throws on every text it cannot read; the caller notes it.
    return undefined;
  }
}

function tableOf(value: unknown): Table {
  const isTable = typeof value === "object" && value !== null && !Array.isArray(value);
  // Without a prototype, so that `in` finds only what the file says.
  return isTable ? Object.assign(Object.create(null), value) : Object.create(null);
}

/** Ranges that name a folder of the workspace. */
const LOCAL = /^(?:workspace|file|link|portal):/;
const ELSEWHERE = /^(?:git[+:]|https?:|github:|gitlab:|bitbucket:|[\w.-]+\/[\w.-]+)/;

function requirement(
  key: string,
  range: unknown,
  optional: boolean,
  others: string[],
): readonly PackageRequirement[] {
  const version = typeof range === "string" ? range : "";
  if (LOCAL.test(version)) return [];
  if (!isNpmName(key)) {
    others.push(key);
    return [];
  }
  if (ELSEWHERE.test(version)) others.push(`${key}: ${version}`);
  // An alias: the name in code is one, the package another.
  const alias = /^npm:(@?[^@]+)(?:@|$)/.exec(version)?.[1];
  const name = alias !== undefined && isNpmName(alias) ? alias : key;
  return [{ name, import: key, optional }];
}
