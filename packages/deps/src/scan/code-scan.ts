import type { Sighting } from "@skillhold/core/dependency";
import { isPlaceholder, type LocalModules } from "./local-module.ts";
import { distributionsOf, isWellKnown } from "./python-distribution.ts";
import { type PythonImport, readPythonImports } from "./python-import.ts";
import { isStandardModule, removalOf } from "./python-stdlib.ts";
import { readScriptImports } from "./script-import.ts";
import { targetOf } from "./specifier.ts";
import type { Language } from "./syntax.ts";
import type { Tally } from "./tally.ts";

/** A text of code to be scanned, and what its bundle holds besides. */
export interface CodeText {
  readonly path: string;
  readonly text: string;
}

export interface BundleContent {
  readonly modules: LocalModules;
  /** Paths of all files, without their extensions too. */
  readonly paths: ReadonlySet<string>;
  /** Names of the packages that the bundle itself is. */
  readonly packages: ReadonlySet<string>;
}

/** `lineOf` is for code that stands in its file as data. */
export async function scanPython(
  code: CodeText & { readonly lineOf?: (module: string) => number },
  content: BundleContent,
  tally: Tally,
): Promise<void> {
  const imports = await readPythonImports(code.text);
  if (imports === undefined) return tally.giveUp(code.path);
  for (const each of imports) {
    const top = topOf(each.module);
    if (content.modules.has(code.path, each)) continue;
    if (isStandardModule(top)) {
      const removal = removalOf(top);
      if (removal !== undefined) tally.note(code.path, removal);
    } else if (isPlaceholder(top)) tally.note(code.path, `the module ${top} is not in the bundle`);
    else {
      const line = code.lineOf?.(top) ?? each.line;
      for (const name of distributionsFor(each, tally))
        tally.add({
          ...SEEN,
          kind: "pip",
          name,
          import: top,
          optional: each.optional,
          file: code.path,
          line,
        });
    }
  }
}

/** Runtimes that only some scripts run on; undefined when nothing says so. */
export async function scanScript(
  language: Exclude<Language, "python" | "bash">,
  code: CodeText,
  content: BundleContent,
  tally: Tally,
): Promise<string | undefined> {
  const imports = await readScriptImports(language, code.text);
  if (imports === undefined) tally.giveUp(code.path);
  let runtime: string | undefined;
  for (const { specifier, line, optional } of imports ?? []) {
    const target = targetOf(specifier);
    if (target.kind === "runtime") runtime = target.name;
    if (
      target.kind !== "npm" ||
      content.packages.has(target.name) ||
      isInBundle(specifier, code.path, content)
    )
      continue;
    const name = tally.packageOf(target.name);
    tally.add({ ...SEEN, kind: "npm", name, import: target.name, optional, file: code.path, line });
  }
  return runtime;
}

const SEEN: Pick<Sighting, "declared"> = { declared: false };

/** The distributions of an import; several when a namespace is shared and several of its parts are taken. */
function distributionsFor(wanted: PythonImport, tally: Tally): readonly string[] {
  const modules =
    wanted.names.length === 0 ? [wanted.module] : wanted.names.map((name) => `${wanted.module}.${name}`);
  return [...new Set(modules.flatMap((module) => chooseDistribution(module, tally)))];
}

/** Of several distributions, the one that a manifest names. */
function chooseDistribution(module: string, tally: Tally): readonly string[] {
  const candidates = distributionsOf(module);
  const declared = candidates.find((name) => tally.has("pip", name));
  const [usual] = candidates;
  if (declared !== undefined || usual === undefined) return declared === undefined ? [] : [declared];
  if (isWellKnown(topOf(module))) return [usual];
  return [tally.variantOf(usual) ?? usual];
}

function topOf(module: string): string {
  return module.split(".", 1)[0] ?? module;
}

/** `lib/x` where the bundle has such a file, by whatever extension: a path from a base folder, and no package. */
function isInBundle(specifier: string, file: string, content: BundleContent): boolean {
  if (!specifier.includes("/") || specifier.startsWith("@")) return false;
  const path = specifier.replace(/\.[cm]?jsx?$/, "");
  const folders = file.split("/").slice(0, -1);
  return folders
    .map((_, index) => folders.slice(0, index + 1).join("/"))
    .concat("")
    .some((folder) => content.paths.has(folder === "" ? path : `${folder}/${path}`));
}
