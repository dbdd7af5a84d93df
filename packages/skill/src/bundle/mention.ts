/** The references of a text to the folder `_shared`. */
export interface Mentions {
  /** True when the text refers to the folder as a whole, so any file in it may be used. */
  readonly isWhole: boolean;
  /** Paths below `_shared`, or modules as paths; the extension may be missing. */
  readonly names: readonly string[];
  /** Relative references to the folder, as written, up to its name: `../_shared`. */
  readonly references: readonly string[];
}

// Matches only the whole word, not `my_shared` or `_shared_state`.
const MENTION = /(?<![\w$-])_shared(?![\w-])(\/[\w./-]*|(?:\.\w+)+)?/g;
// Bounded, because an unclosed bracket must not extend every match to the end of the text.
const PYTHON_FROM =
  /\bfrom\s{1,64}_shared((?:\.\w{1,64}){0,16})\s{1,64}import\s{1,64}(\([^)]{0,2000}\)|[^\n;#]*)/g;
const CLIMB = /(?:\.{1,2}\/)+$/;
const CLIMB_LENGTH = 64;

/** Finds all references to `_shared`; undefined if there are none. */
export function findMentions(text: string): Mentions | undefined {
  if (!text.includes("_shared")) return undefined;
  const names: string[] = [];
  const references: string[] = [];
  let isWhole = false;
  // Python imports are handled first and removed, because their names follow the folder without a slash.
  const rest = text.replace(PYTHON_FROM, (_match, module: string, imported: string) => {
    const read = readPythonImport(module, imported);
    if (read === undefined) isWhole = true;
    else names.push(...read);
    return "\n";
  });
  for (const { 1: tail = "", index } of rest.matchAll(MENTION)) {
    const climb = CLIMB.exec(rest.slice(Math.max(0, index - CLIMB_LENGTH), index));
    if (climb !== null) references.push(`${climb[0]}_shared`);
    const name = tail.startsWith(".") ? tail.slice(1).replaceAll(".", "/") : tail.replace(/^\/+|[./]+$/g, "");
    if (name === "") isWhole = true;
    else names.push(name);
  }
  return isWhole || names.length > 0 ? { isWhole, names, references } : undefined;
}

const PYTHON_IMPORT = /^[ \t]*(?:import|from)[ \t]+([A-Za-z_][\w., \t]*)/gm;

/** The first names of the modules that a Python text imports. Deliberately broad: text in strings counts, too. */
export function findImports(text: string): readonly string[] {
  const names = [...text.matchAll(PYTHON_IMPORT)].flatMap(([line, modules = ""]) =>
    line.trimStart().startsWith("from") ? [modules] : modules.split(","),
  );
  return [...new Set(names.flatMap((name) => /^\w+/.exec(name.trim())?.[0] ?? []))];
}

/**
 * The files of `_shared` that the references mean. A name without a matching file may be built at run time, so it
 * means all files.
 */
export function resolveMentions(mentions: Mentions, files: readonly string[]): readonly string[] {
  if (mentions.isWhole) return files;
  const used = new Set<string>();
  for (const name of mentions.names) {
    const fitting = files.filter((file) => fits(name, file));
    if (fitting.length === 0) return files;
    for (const file of fitting) used.add(file);
  }
  return [...used];
}

/**
 * The files that a helper's text names by any part of their path, without extension. Deliberately broad: `./util.mjs`,
 * `from .util import x`, `import util` and `source "$here/util.sh"` all name `util`.
 */
export function findNamed(text: string, files: readonly string[]): readonly string[] {
  const words = new Set(text.match(/[\w-]+/g));
  for (const word of [...words]) for (const part of word.split("-")) words.add(part);
  // A name with a space or a non-ASCII letter is not a single word of the set.
  const isNamed = (stem: string) => words.has(stem) || (/[^\w-]/.test(stem) && text.includes(stem));
  return files.filter((file) => stems(file).some(isNamed));
}

function readPythonImport(module: string, imported: string): readonly string[] | undefined {
  const folder = module.slice(1).replaceAll(".", "/");
  const items = imported.replace(/[()]/g, "").split(",");
  const modules = items.map((item) => item.trim().split(/\s/)[0] ?? "").filter((item) => item !== "");
  // `from _shared.x import f` names the module first; the imported name may be anything in it.
  if (folder !== "") return [folder];
  return modules.length > 0 && modules.every((name) => /^\w+$/.test(name)) ? modules : undefined;
}

/** Matches the file, the file without extension, files below a folder, or a module that contains the name. */
function fits(name: string, file: string): boolean {
  const bare = file.replace(/\.[^./]+$/, "");
  return file === name || bare === name || file.startsWith(`${name}/`) || name.startsWith(`${bare}/`);
}

function stems(file: string): readonly string[] {
  return file.split("/").map((segment) => segment.replace(/(?<=.)\..*$/, ""));
}
