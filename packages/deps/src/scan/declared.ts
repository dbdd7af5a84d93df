import {
  type DependencyKind,
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
import { isCommandName, isNpmName } from "./package-name.ts";
import { isKnownDistribution, isWellKnown } from "./python-distribution.ts";
import { readRequirement } from "./requirement.ts";
import { runtimeOf } from "./shell-table.ts";

/** What a skill's frontmatter says of its dependencies. */
export interface Declaration {
  readonly dependencies: readonly DeclaredDependency[];
  /** What the scan may not report: a name, or `kind:name`. */
  readonly excluded: readonly string[];
  /** Whether the declared ones are all there are. */
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

/** A dependency, or a sentence on why it is none. */
type Entry = DeclaredDependency | string;

/** Prefixes of package managers, with the kind of what they bring. */
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

/** `pip:name>=1`, `npm:@scope/name@1`, `system:name`, and bare for what the system has. */
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
  const runtime = runtimeOf(command);
  if (runtime !== undefined) return { kind: "runtime", name: runtime, optional };
  return isCommandName(command) ? { kind: "system", name: command, optional } : refusal(text);
}

function refusal(text: string): string {
  return `${JSON.stringify(text.slice(0, 80))} names no dependency`;
}

/**
 * `dependencies` has no agreed form: a list, a text with commas, a mapping by manager. A bare name is taken only
 * if it is known to be one: skills write names of other skills there too.
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
  // Where half of the names are known packages of Python, the others are too.
  const isPython = bare.length > 0 && bare.filter(isPythonName).length * 2 >= bare.length;
  return list.map((text) => looseEntry(text, isPython));
}

function isPythonName(name: string): boolean {
  return isWellKnown(name) || isWellKnown(name.toLowerCase()) || isKnownDistribution(name);
}

function looseEntry(text: string, isPythonList: boolean): Entry {
  if (text.length > LONGEST_ENTRY || /^[A-Za-z]+:/.test(text)) return readEntry(text);
  const name = text.replace(/\s*[<>=~!^[;(\s].*$/s, "");
  if (runtimeOf(name) !== undefined) return entryOf("system", text, text);
  if (text.startsWith("@")) return entryOf("npm", text, text);
  const isPython = isPythonList || /[<>=~!]=|[<>]/.test(text) || isPythonName(name);
  return isPython ? entryOf("pip", text, text) : refusal(text);
}

/** OpenClaw's section: programs that must be there, and how to get them. */
function readInstallSteps(frontmatter: FrontmatterMap): readonly Entry[] {
  const { requires, install } = readOpenclaw(frontmatter);
  const program = (optional: boolean) => (name: string) => entryOf("system", name, name, optional);
  return [
    ...requires.bins.map(program(false)),
    // One of them is enough, so none is needed by itself.
    ...requires.anyBins.map(program(true)),
    ...install.flatMap(({ kind, fields }) => {
      const bins = textList(fields["bins"]).filter((name) => !requires.anyBins.includes(name));
      // Where the step says which programs it brings, they count, and the package is one way to them.
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

/** A list of texts, or one text with commas. */
function listOf(value: FrontmatterValue | undefined): readonly string[] {
  const list = typeof value === "string" ? value.split(",") : textList(value);
  return list.map((text) => text.trim()).filter((text) => text !== "");
}
