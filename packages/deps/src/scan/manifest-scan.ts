import { posix } from "node:path";
import { findNodeAtLocation, parseTree } from "jsonc-parser";
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
  /** Development packages: declared, but needed only when the code imports them. */
  readonly development: Set<string>;
  /** Names of the packages that the bundle itself defines. */
  readonly packages: Set<string>;
}

/** Adds the dependencies of a manifest, or of a Python script's inline metadata. */
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

/** Requirements files for tests and development. */
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
    tally.note(path, `line ${other.line} is not a package in an index: ${quote(other.text)}`);
  // Included files are scanned on their own; only a missing one gets a note.
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  for (const included of list.included) {
    const target = posix.normalize(folder + included.replaceAll("\\", "/"));
    if (!around.paths.has(target))
      tally.note(path, `includes ${quote(included)}, which is not in the bundle`);
  }
}

function tallyProject(
  { path, text }: CodeText,
  reading: ProjectReading | undefined,
  tally: DependencyTally,
): void {
  if (reading === undefined) tally.note(path, "not read: invalid TOML");
  if (reading === undefined) return;
  const lines = new TextLines(text);
  for (const requirement of reading.requirements)
    addRequirement(requirement, { file: path, line: lines.lineOf(requirement.name) }, false, tally);
  for (const other of reading.others)
    tally.note(path, `dependency is not a package in an index: ${quote(other)}`);
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
  if (reading === undefined) tally.note(path, "not read: not a JSON object");
  if (reading === undefined) return;
  const keyLines = readKeyLines(text);
  if (reading.name !== undefined) around.packages.add(reading.name);
  for (const name of reading.development) around.development.add(name);
  for (const dependency of reading.dependencies)
    tally.add({
      ...dependency,
      kind: "npm",
      declared: true,
      file: path,
      line: keyLines.get(dependency.import) ?? 1,
    });
  for (const other of reading.others)
    tally.note(path, `dependency is not a registry package: ${quote(other)}`);
}

/** In the order in which a name that several tables have is found. */
const TABLES = ["peerDependencies", "optionalDependencies", "dependencies"];

/** The lines of the packages in the tables of a package.json, by name. */
function readKeyLines(text: string): ReadonlyMap<string, number> {
  const root = parseTree(text);
  const lines = new Map<string, number>();
  for (const table of TABLES) {
    const found = root && findNodeAtLocation(root, [table]);
    for (const property of found?.type === "object" ? (found.children ?? []) : []) {
      const [key] = property.children ?? [];
      if (key !== undefined) lines.set(String(key.value), lineAt(text, key.offset));
    }
  }
  return lines;
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 120));
}

/** The packages in a package.json. */
interface PackageReading {
  /** The package's own name, which refers to the bundle. */
  readonly name: string | undefined;
  readonly dependencies: readonly PackageRequirement[];
  /** Development packages, needed only when the code imports them. */
  readonly development: readonly string[];
  /** Invalid names, and packages from outside a registry. */
  readonly others: readonly string[];
}

interface PackageRequirement {
  /** The package name; `import` is the name that code uses. */
  readonly name: string;
  readonly import: string;
  readonly optional: boolean;
}

/** Returns undefined when the text is not a JSON object. */
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

/**
 * Templates often have the name of the package they demonstrate, so a package that depends on its own name
 * means the other one.
 */
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
    // The text is not JSON; the caller adds a note.
    return undefined;
  }
}

function tableOf(value: unknown): Table {
  const isTable = typeof value === "object" && value !== null && !Array.isArray(value);
  // No prototype, so that `in` finds only keys of the file.
  return isTable ? Object.assign(Object.create(null), value) : Object.create(null);
}

/** Ranges that refer to a local folder. */
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
  // An alias: code imports one name, and the registry has another.
  const alias = /^npm:(@?[^@]+)(?:@|$)/.exec(version)?.[1];
  const name = alias !== undefined && isNpmName(alias) ? alias : key;
  return [{ name, import: key, optional }];
}
