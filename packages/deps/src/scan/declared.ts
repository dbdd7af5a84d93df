import {
  type Dependency,
  type DependencyKind,
  type DependencyManifest,
  type InstallWay,
  packageOf,
  programOf,
  readInstallWays,
} from "@skillhold/core/dependency";
import {
  type FrontmatterMap,
  type FrontmatterValue,
  isMap,
  readOpenclaw,
  textList,
  textOf,
} from "@skillhold/skill";
import { isCommandName, isNpmName, normalizePip } from "./package-name.ts";
import { isKnownDistribution, isWellKnown, moduleOf } from "./python-distribution.ts";
import { readRequirement } from "./requirement.ts";
import { commandRuntime } from "./shell-table.ts";
import type { DependencyTally } from "./tally.ts";
import type { TextLines } from "./text-line.ts";

/** The dependency declaration in a skill's frontmatter. */
export interface Declaration {
  readonly dependencies: readonly DeclaredDependency[];
  /** Names, or `kind:name`, that the manifest must not contain. */
  readonly excluded: readonly string[];
  /** True when the skill has no dependencies besides the declared ones. */
  readonly isExclusive: boolean;
  readonly ways: readonly InstallWay[];
  readonly notes: readonly string[];
}

export interface DeclaredDependency {
  readonly kind: DependencyKind;
  readonly name: string;
  readonly optional: boolean;
}

export function readDeclaration(frontmatter: FrontmatterMap): Declaration {
  const metadata = isMap(frontmatter["metadata"]) ? frontmatter["metadata"] : {};
  const field = (key: string) => frontmatter[key] ?? metadata[key];
  const entries = [
    ...listOf(field("deps")).map((text) => readEntry(text)),
    ...readLoose(field("dependencies")),
    ...readInstallSteps(frontmatter),
  ];
  return {
    dependencies: entries.filter((entry) => typeof entry !== "string"),
    excluded: listOf(field("exclude_deps")),
    isExclusive: textOf(field("deps_mode")) === "exclusive",
    ways: readInstallWays(frontmatter),
    notes: entries.filter((entry) => typeof entry === "string"),
  };
}

/** A dependency, or a sentence with the reason why the entry is invalid. */
type Entry = DeclaredDependency | string;

/** Package manager prefixes and the kind of dependency they install. */
const PREFIXES: ReadonlyMap<string, DependencyKind> = new Map<string, DependencyKind>([
  ["pip", "pip"],
  ["uv", "pip"],
  ["pypi", "pip"],
  ["python", "pip"],
  ["npm", "npm"],
  ["node", "npm"],
  ["system", "system"],
  ["bin", "system"],
  ["brew", "system"],
  ["apt", "system"],
  ["apk", "system"],
]);

const LONGEST_ENTRY = 300;

/** Reads `pip:name>=1`, `npm:@scope/name@1` and `system:name`. A bare name is a system program. */
function readEntry(text: string): Entry {
  if (text.length > LONGEST_ENTRY) return refusal(text);
  const [, prefix, rest = text] = /^([A-Za-z]+):(?!\/\/)(.*)$/s.exec(text.trim()) ?? [];
  if (prefix === undefined) return entryOf("system", rest, text);
  const manager = prefix.toLowerCase();
  if (manager === "go") return entryOf("system", programOf(rest), text);
  const kind = PREFIXES.get(manager);
  return kind === undefined ? refusal(text) : entryOf(kind, rest, text);
}

function entryOf(kind: DependencyKind, rest: string, text: string, optional = false): Entry {
  if (rest.length > LONGEST_ENTRY) return refusal(text);
  const spec = rest.trim();
  if (kind === "pip") {
    const requirement = readRequirement(spec);
    if (requirement === undefined) return refusal(text);
    return { kind, name: requirement.name, optional: optional || requirement.optional };
  }
  if (kind === "npm") {
    const name = spec.replace(/(?!^)@[^/]*$/, "");
    return isNpmName(name) ? { kind, name, optional } : refusal(text);
  }
  const command = spec.replace(/\s*[<>=~!^].*$/s, "");
  const runtime = commandRuntime(command);
  if (runtime !== undefined) return { kind: "runtime", name: runtime, optional };
  return isCommandName(command) ? { kind: "system", name: command, optional } : refusal(text);
}

function refusal(text: string): string {
  return `${JSON.stringify(text.slice(0, 80))} is not a dependency`;
}

/**
 * `dependencies` has no agreed form: a list, a comma-separated text, or a mapping by manager. A bare name is
 * accepted only when it is a known package, because skills also list other skills there.
 */
function readLoose(value: FrontmatterValue | undefined): readonly Entry[] {
  if (isMap(value)) {
    return Object.entries(value).flatMap(([key, list]) => {
      const kind = PREFIXES.get(key.toLowerCase());
      return kind === undefined ? [refusal(key)] : listOf(list).map((text) => entryOf(kind, text, text));
    });
  }
  const list = listOf(value);
  const bare = list.filter((text) => /^[A-Za-z0-9._-]+$/.test(text));
  // When at least half of the names are known Python packages, all are treated as Python packages.
  const isPython = bare.length > 0 && bare.filter(isPythonName).length * 2 >= bare.length;
  return list.map((text) => looseEntry(text, isPython));
}

function isPythonName(name: string): boolean {
  return isWellKnown(name) || isWellKnown(name.toLowerCase()) || isKnownDistribution(name);
}

function looseEntry(text: string, isPythonList: boolean): Entry {
  if (text.length > LONGEST_ENTRY || /^[A-Za-z]+:/.test(text)) return readEntry(text);
  const name = text.replace(/\s*[<>=~!^[;(\s].*$/s, "");
  if (commandRuntime(name) !== undefined) return entryOf("system", text, text);
  if (text.startsWith("@")) return entryOf("npm", text, text);
  const isPython = isPythonList || /[<>=~!]=|[<>]/.test(text) || isPythonName(name);
  return isPython ? entryOf("pip", text, text) : refusal(text);
}

/** OpenClaw's section: required programs and how to install them. */
function readInstallSteps(frontmatter: FrontmatterMap): readonly Entry[] {
  const { requires, install } = readOpenclaw(frontmatter);
  const program = (optional: boolean) => (name: string) => entryOf("system", name, name, optional);
  return [
    ...requires.bins.map(program(false)),
    // Any one of these is enough, so each is optional.
    ...requires.anyBins.map(program(true)),
    ...install.flatMap(({ kind, fields }) => {
      const bins = textList(fields["bins"]).filter((name) => !requires.anyBins.includes(name));
      // When the step lists its programs, those are the dependencies, and the package is one way to install
      // them.
      return [...bins.map(program(false)), ...stepEntry(kind.toLowerCase(), fields, bins.length > 0)];
    }),
  ];
}

function stepEntry(kind: string, fields: FrontmatterMap, hasPrograms: boolean): readonly Entry[] {
  const text = packageOf(fields);
  if (kind === "node" || kind === "npm" || kind === "uv" || kind === "pip") {
    if (text === undefined) return [];
    return [entryOf(kind === "node" || kind === "npm" ? "npm" : "pip", text, text, hasPrograms)];
  }
  if (hasPrograms || text === undefined) return [];
  return [entryOf("system", programOf(text), text)];
}

/** A list of texts, or one comma-separated text. */
function listOf(value: FrontmatterValue | undefined): readonly string[] {
  const list = typeof value === "string" ? value.split(",") : textList(value);
  return list.map((text) => text.trim()).filter((text) => text !== "");
}

/** Adds the dependencies that the frontmatter declares, each with its line. */
export function tallyDeclaration(
  from: { readonly declared: Declaration; readonly path: string; readonly lines: TextLines },
  tally: DependencyTally,
): void {
  for (const { kind, name, optional } of from.declared.dependencies) {
    const module = kind === "pip" ? moduleOf(name) : name;
    const line = from.lines.lineOf(name);
    tally.add({ kind, name, import: module, optional, declared: true, file: from.path, line });
  }
  for (const note of from.declared.notes) tally.note(from.path, note);
}

/** Applies the author's overrides: excluded dependencies, and whether the declaration is complete. */
export function applyDeclaration(
  manifest: DependencyManifest,
  declared: Declaration | undefined,
): DependencyManifest {
  if (declared === undefined) return manifest;
  const kept = declared.isExclusive
    ? manifest.dependencies.filter((dependency) =>
        declared.dependencies.some((each) => isSame(each, dependency)),
      )
    : manifest.dependencies;
  const dependencies = kept.filter(
    (dependency) => !declared.excluded.some((text) => isExcluded(text, dependency)),
  );
  const { notes } = manifest;
  return { dependencies, notes, ...(declared.ways.length === 0 ? {} : { ways: declared.ways }) };
}

function isSame(a: Pick<Dependency, "kind" | "name">, b: Pick<Dependency, "kind" | "name">): boolean {
  return a.kind === b.kind && normalizePip(a.name) === normalizePip(b.name);
}

function isExcluded(text: string, dependency: Dependency): boolean {
  const [, kind, name = text] = /^(pip|npm|system|runtime):(.*)$/s.exec(text) ?? [];
  if (kind !== undefined && kind !== dependency.kind) return false;
  return name === dependency.import || normalizePip(name) === normalizePip(dependency.name);
}
