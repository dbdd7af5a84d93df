import { isWellKnown } from "./python-distribution.ts";
import type { PythonImport } from "./python-import.ts";

/**
 * The Python modules that a bundle holds itself.
 *
 * Scripts put folders on `sys.path` as they like, so a module counts wherever it lies. Only names that are known
 * from a package index have to lie where Python would look.
 */
export class LocalModules {
  /** Folders that hold a module file or a package of the name, with the path that makes it one. */
  readonly #modules = new Map<string, { readonly folder: string; readonly path: string }[]>();
  /** Folders that hold Python somewhere below, by their names. */
  readonly #folders = new Map<string, string[]>();
  /** Folders by their name and what lies in them: `scripts/run` for any `scripts` with a module or folder `run`. */
  readonly #inside = new Map<string, string[]>();
  readonly #known = new Set<string>();
  readonly #bundle: string;
  /** Whether the bundle's own folder is a package. */
  readonly #isPackage: boolean;

  /** `bundle` is the name of the bundle's own folder, which code may know too. */
  constructor(paths: readonly string[], bundle = "") {
    this.#bundle = bundle.replaceAll("-", "_");
    this.#isPackage = paths.includes("__init__.py") && !isWellKnown(this.#bundle);
    for (const path of paths) this.#add(path);
  }

  has(file: string, wanted: Pick<PythonImport, "module" | "names">): boolean {
    const [top = "", second] = wanted.module.split(".");
    const isKnown = isWellKnown(top);
    const parts = second === undefined ? wanted.names : [second];
    // Skills are named after what they are about: only a part that is there shows that the bundle is meant.
    if (top === this.#bundle && (this.#isPackage || parts.some((part) => this.#known.has(part)))) return true;
    const modules = this.#modules.get(top) ?? [];
    // A script that imports its own name means another one.
    if (
      modules.some(
        ({ folder, path }) => path !== file && (!isKnown || this.#isFound(file, folder, top, second)),
      )
    )
      return true;
    if (!isKnown && this.#hasFolder(file, top, parts.length === 0)) return true;
    return parts.some((part) =>
      (this.#inside.get(`${top}/${part}`) ?? []).some((folder) => !isKnown || isNear(file, parentOf(folder))),
    );
  }

  /**
   * Whether there is a folder of that name. A script inside it has the folder on its path, and not what is above. What
   * is taken out of it may be missing; then the folder has to lie on the way from the root to the file.
   */
  #hasFolder(file: string, name: string, isAnywhere: boolean): boolean {
    const folders = (this.#folders.get(name) ?? []).filter((folder) => !file.startsWith(`${folder}/`));
    return folders.some((folder) => isAnywhere || isAbove(parentOf(folder), file));
  }

  #isFound(file: string, folder: string, top: string, second: string | undefined): boolean {
    if (!isNear(file, folder)) return false;
    const inside = join(folder, top);
    return second === undefined || !this.#known.has(inside) || this.#known.has(`${inside}/${second}`);
  }

  #add(path: string): void {
    const match = MODULE.exec(path);
    if (match === null) return;
    const [, folder = "", name = ""] = match;
    if (name === "__init__") addTo(this.#modules, baseOf(folder), { folder: parentOf(folder), path });
    else {
      addTo(this.#modules, name, { folder, path });
      this.#addInside(folder, name);
    }
    for (let above = folder; above !== "" && !this.#known.has(above); above = parentOf(above)) {
      addTo(this.#folders, baseOf(above), above);
      this.#addInside(parentOf(above), baseOf(above));
    }
  }

  #addInside(folder: string, name: string): void {
    this.#known.add(join(folder, name));
    if (folder !== "") addTo(this.#inside, `${baseOf(folder)}/${name}`, folder);
  }
}

/** More places of one name prove nothing more. */
const MAX_PLACES = 50;

/**
 * Names that projects give to their own folders. Where the bundle has none, the code is of a project elsewhere; to
 * install what an index has under the name would be worse than to know nothing.
 */
const PLACEHOLDERS = new Set(
  `app apps backend common config conftest constants core_utils example examples frontend helper helpers lib libs main models
  my_app my_module my_package myapp mymodule mypackage project schemas scripts services settings shared src test_utils tests tools
  util utils views your_app your_module your_package`.split(/\s+/),
);

export function isPlaceholder(module: string): boolean {
  return PLACEHOLDERS.has(module);
}

/** Compiled modules have a platform in their names. */
const MODULE = /^(?:(.*)\/)?([^/.]+)(?:\.pyw?|\.pyx|(?:\.[^/.]+)?\.(?:so|pyd))$/;

/** Whether a folder is on the way from the bundle's root to the file, or lies beside that way. */
function isNear(file: string, folder: string): boolean {
  const above = parentOf(folder);
  return isAbove(folder, file) || isAbove(above, file);
}

function isAbove(folder: string, file: string): boolean {
  return folder === "" || file.startsWith(`${folder}/`);
}

function join(folder: string, name: string): string {
  return folder === "" ? name : `${folder}/${name}`;
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf("/"), 0));
}

function baseOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function addTo<Key, Value>(map: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else if (list.length < MAX_PLACES) list.push(value);
}
