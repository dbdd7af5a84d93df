import { isNpmName } from "./package-name.ts";

/** What a package.json says of packages. */
export interface PackageReading {
  /** Its own name: importing it is importing the bundle. */
  readonly name: string | undefined;
  readonly dependencies: readonly PackageRequirement[];
  /** Packages for work on the code: needed only if the code asks for them. */
  readonly development: readonly string[];
  /** Names that are none, and packages that come from elsewhere than a registry. */
  readonly others: readonly string[];
}

export interface PackageRequirement {
  /** As it is installed; `import` is the name it is installed under. */
  readonly name: string;
  readonly import: string;
  readonly optional: boolean;
}

/** Undefined when it is no JSON object. */
export function readPackageJson(text: string): PackageReading | undefined {
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
