import type { Sighting } from "@skillhold/core/dependency";
import { isPlaceholder, type LocalModules } from "./local-module.ts";
import { npmPackageOf } from "./package-name.ts";
import { distributionsOf, isWellKnown } from "./python-distribution.ts";
import { type PythonImport, readPythonImports } from "./python-import.ts";
import { isStandardModule, removalOf } from "./python-stdlib.ts";
import { readScriptImports } from "./script-import.ts";
import type { Language } from "./syntax.ts";
import type { DependencyTally } from "./tally.ts";

/** Code to scan, with its path in the bundle. */
export interface CodeText {
  readonly path: string;
  readonly text: string;
}

export interface BundleIndex {
  readonly modules: LocalModules;
  /** Paths of all files, also without their extensions. */
  readonly paths: ReadonlySet<string>;
  /** Names of the packages that the bundle itself defines. */
  readonly packages: ReadonlySet<string>;
  /** Whether code of the bundle adds folders to Python's module path. */
  readonly hasOtherPath: boolean;
}

const PATH_CHANGE =
  /\bsys\s*\.\s*path\s*(?:\.\s*(?:insert|append|extend)\s*\(|\[[^\]\n]*\]\s*=(?!=)|\+?=(?!=))|\baddsitedir\s*\(|\bfrom\s+sys\s+import\b[^\n]*\bpath\b|\bPYTHONPATH\b/;

/** True for code that adds folders to Python's module path, which may be outside the bundle. */
export function changesPath(text: string): boolean {
  return PATH_CHANGE.test(text);
}

/** `lineOf` finds lines for code that is embedded in its file as data. */
export async function scanPython(
  code: CodeText & { readonly lineOf?: (module: string) => number },
  content: BundleIndex,
  tally: DependencyTally,
): Promise<void> {
  const imports = await readPythonImports(code.text);
  if (imports === undefined) return tally.addUnparsed(code.path);
  for (const each of imports) {
    const top = topOf(each.module);
    if (content.modules.has(code.path, each) || isSupplied(code.path, each.module)) continue;
    if (isStandardModule(top)) {
      const removal = removalOf(top);
      if (removal !== undefined) tally.note(code.path, removal);
    } else if (isPlaceholder(top)) tally.note(code.path, `module ${top} is not in the bundle`);
    else if (content.hasOtherPath && !isNamedPackage(each.module, tally))
      tally.note(
        code.path,
        `module ${top} is unknown: the code changes sys.path, and no manifest declares a package of that name`,
      );
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

/** Returns the runtime that the script requires, or undefined when any runtime fits. */
export async function scanScript(
  language: Exclude<Language, "python" | "bash">,
  code: CodeText,
  content: BundleIndex,
  tally: DependencyTally,
): Promise<string | undefined> {
  const imports = await readScriptImports(language, code.text);
  if (imports === undefined) tally.addUnparsed(code.path);
  let runtime: string | undefined;
  for (const { specifier, line, optional } of imports ?? []) {
    const target = targetOf(specifier);
    if (target.kind === "runtime") runtime = target.name;
    if (
      target.kind !== "npm" ||
      content.packages.has(target.name) ||
      isSupplied(code.path, specifier) ||
      isInBundle(specifier, code.path, content)
    )
      continue;
    const name = tally.packageOf(target.name);
    tally.add({ ...SEEN, kind: "npm", name, import: target.name, optional, file: code.path, line });
  }
  return runtime;
}

/**
 * True when the module belongs to a well-known or declared package. Another module of code that changes `sys.path` may be in
 * a folder outside the bundle, and a package index may have a foreign package of that name.
 */
function isNamedPackage(module: string, tally: DependencyTally): boolean {
  if (isWellKnown(topOf(module))) return true;
  const candidates = distributionsOf(module);
  return candidates.some((name) => tally.has("pip", name) || tally.variantOf(name) !== undefined);
}

/** A module that declares tools. */
const TOOL_FILE = /^tools\/[^/]+$/;
/** What the process of declared tools supplies when it is not installed. */
const SUPPLIED: ReadonlySet<string> = new Set([
  ...["langchain_core", "langchain_core.tools", "langchain", "langchain.tools"],
  ...["zod", "ai", "@ai-sdk/provider-utils", "@langchain/core/tools"],
]);

function isSupplied(file: string, module: string): boolean {
  return TOOL_FILE.test(file) && SUPPLIED.has(module);
}

const SEEN: Pick<Sighting, "declared"> = { declared: false };

/** The distributions of an import. A shared namespace can resolve to several. */
function distributionsFor(wanted: PythonImport, tally: DependencyTally): readonly string[] {
  const modules =
    wanted.names.length === 0 ? [wanted.module] : wanted.names.map((name) => `${wanted.module}.${name}`);
  return [...new Set(modules.flatMap((module) => chooseDistribution(module, tally)))];
}

/** Chooses the distribution that a manifest declares, else the usual one. */
function chooseDistribution(module: string, tally: DependencyTally): readonly string[] {
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

/**
 * True for `lib/x` when the bundle has such a file with any extension: a path from a base folder, not a
 * package.
 */
function isInBundle(specifier: string, file: string, content: BundleIndex): boolean {
  if (!specifier.includes("/") || specifier.startsWith("@")) return false;
  const path = specifier.replace(/\.[cm]?jsx?$/, "");
  const folders = file.split("/").slice(0, -1);
  return folders
    .map((_, index) => folders.slice(0, index + 1).join("/"))
    .concat("")
    .some((folder) => content.paths.has(folder === "" ? path : `${folder}/${path}`));
}

/** The Python code of a Jupyter notebook, cell by cell; undefined for other files and other languages. */
export function notebookCode(text: string): string | undefined {
  const root = parse(text);
  const cells = fieldOf(root, "cells");
  const language = fieldOf(fieldOf(fieldOf(root, "metadata"), "kernelspec"), "language");
  if (!Array.isArray(cells) || (typeof language === "string" && language !== "python")) return undefined;
  return cells
    .filter((cell) => fieldOf(cell, "cell_type") === "code")
    .map((cell) => withoutMagic(sourceOf(fieldOf(cell, "source"))))
    .join("\n");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The text is not JSON; the caller adds a note.
    return undefined;
  }
}

function fieldOf(value: unknown, key: string): unknown {
  // Any object can be indexed by any key.
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}

function sourceOf(source: unknown): string {
  return Array.isArray(source)
    ? source.filter((line) => typeof line === "string").join("")
    : String(source ?? "");
}

/**
 * Removes `%magic` and `!command` lines, which are not Python. A cell that starts with `%%` uses another
 * language.
 */
function withoutMagic(code: string): string {
  return /^\s*%%/.test(code) ? "" : code.replace(/^[ \t]*[%!].*$/gm, "");
}

/** The target of a JavaScript specifier. */
type SpecifierTarget =
  | { readonly kind: "npm"; readonly name: string }
  /** A module that only this runtime has or can load. */
  | { readonly kind: "runtime"; readonly name: string }
  | { readonly kind: "none" };

function targetOf(specifier: string): SpecifierTarget {
  const scheme = SCHEME.exec(specifier)?.[1]?.toLowerCase();
  if (scheme !== undefined) return schemeTarget(scheme, specifier.slice(scheme.length + 1));
  if (specifier === "bun") return { kind: "runtime", name: "bun" };
  // A query is for a bundler: `name/file.wasm?url`.
  const name = npmPackageOf(specifier.split("?", 1)[0] ?? "");
  // Relative paths, `#imports`, and aliases such as `@/x`, `~/x` and `~x` are names inside the bundle.
  if (name === undefined || /^@?~/.test(name) || BUILTINS.has(name)) return NONE;
  return { kind: "npm", name };
}

const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]*):/;
const NONE: SpecifierTarget = Object.freeze({ kind: "none" });

function schemeTarget(scheme: string, rest: string): SpecifierTarget {
  switch (scheme) {
    case "npm": {
      const name = npmPackageOf(withoutVersion(rest.replace(/^\//, "")));
      return name === undefined ? NONE : { kind: "npm", name };
    }
    case "node":
      return NONE;
    case "bun":
      return { kind: "runtime", name: "bun" };
    case "jsr":
      return { kind: "runtime", name: "deno" };
    default:
      return NONE;
  }
}

/** Turns `name@1.2/sub` into `name/sub`. */
function withoutVersion(specifier: string): string {
  const at = specifier.indexOf("@", 1);
  if (at === -1) return specifier;
  const slash = specifier.indexOf("/", at);
  return specifier.slice(0, at) + (slash === -1 ? "" : specifier.slice(slash));
}

/**
 * `module.builtinModules` of Node 22 to 24. Modules that require the `node:` prefix are packages without it.
 */
const BUILTINS: ReadonlySet<string> = new Set(
  `_http_agent _http_client _http_common _http_incoming _http_outgoing _http_server _stream_duplex _stream_passthrough
  _stream_readable _stream_transform _stream_wrap _stream_writable _tls_common _tls_wrap assert async_hooks buffer
  child_process cluster console constants crypto dgram diagnostics_channel dns domain events fs http http2 https inspector
  module net os path perf_hooks process punycode querystring readline repl stream string_decoder sys timers tls
  trace_events tty url util v8 vm wasi worker_threads zlib`.split(/\s+/),
);
