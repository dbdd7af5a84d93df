import { join, sep } from "node:path";
import type { SkillEntry } from "@skillhold/protocol";
import type { Host } from "@skillhold/skill";
import { makeEntry } from "../source/entry.ts";
import type { SourceScan } from "../source/scan.ts";
import type { FolderRow } from "../source/scan-row.ts";
import type { Source, SourceKind } from "../source/source.ts";
import type { InvalidSkill, ShadowedSkill, ShelfView } from "./shelf.ts";

/** A source and its scan. */
export interface ScannedSource {
  readonly source: Source;
  readonly scan: SourceScan;
}

/** A skill folder of the shelf. */
export interface ShelfPlace {
  readonly id: string;
  readonly source: Source;
  readonly root: string;
  readonly row: FolderRow;
  /** Absolute path of the folder. */
  readonly folder: string;
}

/**
 * The content of the folders at one moment. The winner of each id and the entries are computed on demand, so that a
 * start that needs one skill does not pay for all.
 */
export class FolderView implements ShelfView {
  readonly #sources: readonly ScannedSource[];
  readonly #host: Host;
  readonly #lastGood: ReadonlyMap<string, FolderRow>;
  #ranking: Ranking | undefined;
  #entries: readonly SkillEntry[] | undefined;

  /** `lastGood` maps a folder to the row to show while a broken edit makes it invalid. */
  constructor(
    sources: readonly ScannedSource[],
    host: Host,
    lastGood: ReadonlyMap<string, FolderRow> = new Map(),
  ) {
    this.#sources = sources;
    this.#host = host;
    this.#lastGood = lastGood;
  }

  get entries(): readonly SkillEntry[] {
    if (this.#entries !== undefined) return this.#entries;
    const { places } = this.#rank();
    const entries: SkillEntry[] = [];
    for (const id of [...places.keys()].sort()) {
      const place = places.get(id);
      if (place !== undefined) entries.push(this.#entryOf(place));
    }
    this.#entries = entries;
    return entries;
  }

  find(id: string): SkillEntry | undefined {
    const place = this.#rank().places.get(id);
    return place && this.#entryOf(place);
  }

  #entryOf(place: Place): SkillEntry {
    if (place.entry !== undefined) return place.entry;
    const { id, row, folder, source } = place;
    const { label, trust } = source;
    const { file, lastModified } = row;
    const found = { id, source: label, trust, path: folder, file, lastModified };
    place.entry = makeEntry(row.facts, found, this.#host);
    return place.entry;
  }

  /** Folders have no access records. */
  standing(): undefined {}

  kind(id: string): SourceKind | undefined {
    return this.#rank().places.get(id)?.source.kind;
  }

  broken(id: string): string | undefined {
    return this.#rank().broken.get(id);
  }

  place(id: string): ShelfPlace | undefined {
    return this.#rank().places.get(id);
  }

  places(): IterableIterator<ShelfPlace> {
    return this.#rank().places.values();
  }

  get shadowed(): readonly ShadowedSkill[] {
    return this.#rank().shadowed;
  }

  get invalid(): readonly InvalidSkill[] {
    return this.#rank().invalid.map(({ id, folder, source, row }) => {
      return { id, path: folder, source: source.label, diagnostics: row.diagnostics };
    });
  }

  /** Contract: the sources are sorted by precedence. */
  #rank(): Ranking {
    if (this.#ranking !== undefined) return this.#ranking;
    const ranking: Ranking = { places: new Map(), broken: new Map(), shadowed: [], invalid: [] };
    for (const { source, scan } of this.#sources) {
      // A folder with the exact name wins over one whose name was converted to the same id.
      const others: FolderRow[] = [];
      for (const row of scan.rows) {
        if (row.nameBelow(scan.root) === row.idBelow(scan.root))
          this.#rankRow(row, source, scan.root, ranking);
        else others.push(row);
      }
      for (const row of others) this.#rankRow(row, source, scan.root, ranking);
    }
    this.#ranking = ranking;
    return ranking;
  }

  #rankRow(found: FolderRow, source: Source, root: string, ranking: Ranking): void {
    const { places, broken, shadowed, invalid } = ranking;
    const folder = folderOf(root, found);
    const row = found.isValid ? found : (this.#lastGood.get(folder) ?? found);
    const id = found.idBelow(root);
    const place: Place = { id, source, root, row, folder, entry: undefined };
    if (!row.isValid) {
      invalid.push(place);
      return;
    }
    const winner = places.get(id);
    if (winner === undefined) {
      places.set(id, place);
      if (row !== found) broken.set(id, errorsOf(found));
    } else
      shadowed.push({
        id,
        path: folder,
        source: source.label,
        by: { source: winner.source.label, path: winner.folder },
      });
  }
}

/** The messages of the errors that make a row invalid. */
export function errorsOf({ diagnostics }: FolderRow): string {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  return errors.map(({ message }) => message).join(" ");
}

/** Absolute path of a row's folder. */
export function folderOf(root: string, { path }: FolderRow): string {
  if (path === ".") return root;
  // No `join`: both paths are normalized, and this runs once per skill.
  return sep === "/" && root !== "/" ? `${root}/${path}` : join(root, path);
}

/** A place with its entry, which is made on demand. */
interface Place extends ShelfPlace {
  entry: SkillEntry | undefined;
}

interface Ranking {
  readonly places: Map<string, Place>;
  /** The errors of places that show their last valid row. */
  readonly broken: Map<string, string>;
  readonly shadowed: ShadowedSkill[];
  readonly invalid: ShelfPlace[];
}
