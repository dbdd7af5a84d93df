import { isPipName, normalizePip } from "./package-name.ts";
import { ALIASES, FAMILIES, PLAIN } from "./python-distribution-table.ts";

/** The distributions that bring a module, the usual one first; empty when no distribution can have such a name. */
export function distributionsOf(module: string): readonly string[] {
  const parts = module.split(".");
  for (let length = Math.min(parts.length, MAX_DEPTH); length > 1; length -= 1) {
    const known = DISTRIBUTIONS.get(parts.slice(0, length).join("."));
    if (known !== undefined) return known;
  }
  const [top = "", second] = parts;
  const known = DISTRIBUTIONS.get(top);
  const family = FAMILIES[top];
  if (family !== undefined && second !== undefined && (known === undefined || family.has(second)))
    return [familyName(parts, family)];
  return known ?? (isPipName(top) ? [top] : []);
}

/** The module that a distribution is imported as, by its best-known name or by its own. */
export function moduleOf(distribution: string): string {
  const normal = normalizePip(distribution);
  const own = normal.replaceAll("-", "_");
  return POPULAR.has(own) ? own : (MODULES.get(normal) ?? own);
}

/** Whether the module is known to come from a package index: a folder of the same name proves nothing then. */
export function isWellKnown(module: string): boolean {
  return DISTRIBUTIONS.has(module) || POPULAR.has(module) || FAMILIES[module] !== undefined;
}

/** Whether a distribution is known that is imported by another name than its own. */
export function isKnownDistribution(name: string): boolean {
  return MODULES.has(normalizePip(name));
}

/** Names that a distribution may be imported by when its own is none: `foo` for `python-foo` and the like. */
export function stemsOf(distribution: string): readonly string[] {
  const name = normalizePip(distribution);
  const stems = [/^python-(.+)$/, /^py-?(.+)$/, /^(.+)-(?:python|py)$/].map((form) => form.exec(name)?.[1]);
  return stems.filter((stem) => stem !== undefined);
}

/** No known module is deeper. */
const MAX_DEPTH = 4;

const DISTRIBUTIONS: ReadonlyMap<string, readonly string[]> = new Map(
  ALIASES.trim()
    .split(/\s+/)
    .map((entry) => {
      const [module = "", names = ""] = entry.split("=");
      return [module, names.split(",")] as const;
    }),
);

const POPULAR: ReadonlySet<string> = new Set(PLAIN.trim().split(/\s+/));

/** Where a distribution brings several modules, the one of its own name stands for it, or the first in the table. */
const MODULES: ReadonlyMap<string, string> = modulesByDistribution();

function modulesByDistribution(): ReadonlyMap<string, string> {
  const modules = new Map<string, string>();
  for (const [module, names] of DISTRIBUTIONS) {
    for (const name of names.map(normalizePip)) {
      const isOwn = normalizePip(module) === name;
      if (isOwn || (!modules.has(name) && !module.startsWith("_"))) modules.set(name, topOf(module));
    }
  }
  return modules;
}

function topOf(module: string): string {
  return module.split(".", 1)[0] ?? module;
}

/** Distributions of one namespace are named by its parts: `azure.storage.blob` is azure-storage-blob, and `google.cloud.vision_v1` google-cloud-vision. */
function familyName(parts: readonly string[], family: ReadonlySet<string>): string {
  const [, second = ""] = parts;
  const length = family.has(second) ? 3 : 2;
  const name = parts
    .slice(0, length)
    .join("-")
    .replace(/_v\d+[a-z0-9]*$/, "");
  return name.replaceAll("_", "-");
}
