import type { Dependency, DependencyManifest, Place, ScanNote, Sighting } from "@skillhold/core/dependency";
import { normalizePip } from "./package-name.ts";
import { stemsOf } from "./python-distribution.ts";

/** Sightings on their way to a manifest: each dependency once by name and import, with all places that name it. */
export class Tally {
  readonly #sightings = new Map<string, Sighting[]>();
  readonly #notes = new Map<string, ScanNote>();
  #hard = 0;
  #spent = 0;
  #rested = 0;
  /** Names of packages by their imports, where a manifest renames them. */
  readonly #aliases = new Map<string, string>();
  /** Declared distributions by what their modules may be called. */
  readonly #variants = new Map<string, string>();

  readonly #timeMs: number;

  constructor(timeMs = MAX_MILLISECONDS) {
    this.#timeMs = timeMs;
  }

  add(sighting: Sighting): void {
    const key = keyOf(sighting.kind, sighting.name);
    const list = this.#sightings.get(key);
    if (list !== undefined) list.push(sighting);
    else if (this.#sightings.size < MAX_DEPENDENCIES) this.#sightings.set(key, [sighting]);
    else this.note(sighting.file, `it names more than the ${MAX_DEPENDENCIES} dependencies that are kept`);
    if (!sighting.declared) return;
    if (sighting.kind === "npm") this.#aliases.set(sighting.import, sighting.name);
    if (sighting.kind === "pip")
      for (const stem of stemsOf(sighting.name)) this.#variants.set(stem, sighting.name);
  }

  note(file: string, text: string): void {
    const message = text.slice(0, MAX_MESSAGE);
    if (this.#notes.size < MAX_NOTES) this.#notes.set(`${file}\n${message}`, { file, message });
  }

  /** Notes a file that the parser gave up. After a few of them the bundle is taken to be made for that. */
  giveUp(file: string): void {
    this.#hard += 1;
    this.note(file, "it is too hard to parse; what it needs is not known");
  }

  /** Counts the time that a file took. True when other work is due. */
  spend(milliseconds: number): boolean {
    this.#spent += milliseconds;
    const isDue = this.#spent - this.#rested > MILLISECONDS_BETWEEN_RESTS;
    if (isDue) this.#rested = this.#spent;
    return isDue;
  }

  get isExhausted(): boolean {
    return this.#hard >= MAX_HARD_FILES || this.#spent > this.#timeMs;
  }

  has(kind: Sighting["kind"], name: string): boolean {
    return this.#sightings.has(keyOf(kind, name));
  }

  /** What npm calls the package that code imports by this name. */
  packageOf(name: string): string {
    return this.#aliases.get(name) ?? name;
  }

  /** A declared distribution that is named much as the module is. */
  variantOf(module: string): string | undefined {
    return this.#variants.get(normalizePip(module));
  }

  /** `development` are packages that a manifest names for work on the code: declared, if the code asks for them. */
  manifest(development: ReadonlySet<string>): DependencyManifest {
    const dependencies = [...this.#sightings.values()]
      .flatMap(byImport)
      .map((sightings) => merge(sightings, development));
    dependencies.sort(
      (a, b) => compare(a.kind, b.kind) || compare(a.name, b.name) || compare(a.import, b.import),
    );
    const notes = [...this.#notes.values()].sort(
      (a, b) => compare(a.file, b.file) || compare(a.message, b.message),
    );
    return release({ dependencies, notes });
  }
}

/** More than any skill has; a hostile one has no end of them. */
const MAX_DEPENDENCIES = 2000;
const MAX_NOTES = 200;
const MAX_HARD_FILES = 3;
const MAX_MILLISECONDS = 10_000;
const MILLISECONDS_BETWEEN_RESTS = 20;
const MAX_MESSAGE = 300;
const MAX_PLACES = 100;
/** No distribution that is known brings as many modules. */
const MAX_IMPORTS = 50;

function keyOf(kind: Sighting["kind"], name: string): string {
  return `${kind}:${kind === "pip" ? normalizePip(name) : name}`;
}

/**
 * One distribution may bring several modules, and code that imports two of them needs both to be there. A declaration
 * is about each of them.
 */
function byImport(sightings: readonly Sighting[]): readonly (readonly Sighting[])[] {
  const imports = new Set(sightings.filter(({ declared }) => !declared).map((sighting) => sighting.import));
  if (imports.size < 2 || imports.size > MAX_IMPORTS) return [sightings];
  return [...imports].map((name) =>
    sightings.filter((sighting) => sighting.declared || sighting.import === name),
  );
}

function merge(sightings: readonly Sighting[], development: ReadonlySet<string>): Dependency {
  const sorted = sightings.toSorted((a, b) => compare(a.file, b.file) || a.line - b.line);
  // Code knows the module; a manifest's spelling of it is a guess.
  const named = sorted.find((sighting) => !sighting.declared) ?? sorted[0];
  const places = new Map<string, Place>(sorted.map(({ file, line }) => [`${line} ${file}`, { file, line }]));
  return {
    kind: named?.kind ?? "system",
    name: named?.name ?? "",
    import: named?.import ?? "",
    optional: sorted.every((sighting) => sighting.optional),
    declared: sorted.some(
      ({ declared, kind, name }) => declared || (kind === "npm" && development.has(name)),
    ),
    seen: [...places.values()].slice(0, MAX_PLACES),
  };
}

/** Names are cuts of the files' texts, and would keep those for as long as they are kept. */
function release(manifest: DependencyManifest): DependencyManifest {
  // What is written and read again is the same.
  return JSON.parse(JSON.stringify(manifest)) as DependencyManifest;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
