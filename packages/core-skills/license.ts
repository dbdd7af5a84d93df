import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

/** The library that a module belongs to; undefined for our own. */
export function packageOf(moduleId: string): Library | undefined {
  const found = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?([^\\/]+))[\\/]/.exec(moduleId);
  return found?.[1] === undefined ? undefined : readLibrary(found[1]);
}

export interface Library {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** Empty when the package comes without. */
  readonly text: string;
}

/** The license texts of all libraries in a skill's scripts, sorted by name. */
export function formatLicenses(moduleIds: readonly string[], own: string): string {
  const libraries = new Map(
    moduleIds.flatMap((moduleId) => {
      const library = packageOf(moduleId);
      return library === undefined ? [] : [[`${library.name} ${library.version}`, library] as const];
    }),
  );
  const parts = [...libraries.keys()].sort().flatMap((title) => {
    const library = libraries.get(title);
    if (library === undefined) return [];
    const inside = contained.get(library.name);
    const note = inside === undefined ? "" : `\n${inside}\n`;
    return `${title} (${library.license})\n${note}\n${(library.text || readMissing(library.name)).trim()}`;
  });
  const head =
    "These scripts are under the Apache License 2.0, whose text is at the end. They contain the libraries below,\n" +
    "each under its own terms.";
  return `${[head, ...parts, own.trim()].join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}

/** Contents of a library that its own license does not name. */
const contained: ReadonlyMap<string, string> = new Map([
  ["unpdf", "It contains PDF.js, copyright Mozilla Foundation, under the Apache License 2.0."],
  [
    "pdfjs-dist",
    "Only its character maps are used. They are copyright 1990-2009 Adobe Systems Incorporated, under the BSD 3-Clause License.",
  ],
  [
    "@hyzyla/pdfium",
    "It contains PDFium, copyright The PDFium Authors, under the BSD 3-Clause License and the Apache License 2.0, with\n" +
      "AGG, FreeType, Little CMS, libjpeg-turbo, OpenJPEG and zlib under their own permissive terms.",
  ],
]);

/** License texts of packages that publish none. */
function readMissing(name: string): string {
  const file = join(import.meta.dirname, "license-text", `${name.replace(/^@.*\//, "")}.txt`);
  if (existsSync(file)) return readFileSync(file, "utf8");
  throw new Error(`${name} has no license text: put it into license-text/${basename(file)}.`);
}

const cache = new Map<string, Library>();

function readLibrary(folder: string): Library {
  const known = cache.get(folder);
  if (known !== undefined) return known;
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((each) => /^(licen[cs]e|copying)/i.test(each));
  const text = file === undefined ? "" : readFileSync(join(folder, file), "utf8");
  const library = {
    name: String(name),
    version: String(version),
    license: typeof license === "string" ? license : "see below",
    text: text.replaceAll("\r\n", "\n"),
  };
  cache.set(folder, library);
  return library;
}
