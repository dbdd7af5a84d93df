import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Digest, SkillEntry } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import { type Host, parseSkill } from "@skillhold/skill";
import { SerialQueue } from "../async/index.ts";
import { combineDigests, hashSkillFile, readBounded } from "../bundle/index.ts";
import type { IndexCache } from "../index-cache.ts";
import { type OpenedSkill, readToolsText, TOOLS_FOLDER } from "../source/open-skill.ts";
import { type SourceScan, type SourceScanOptions, scanSource } from "../source/scan.ts";
import type { FolderRow } from "../source/scan-row.ts";
import { decodeScan, encodeScan } from "../source/scan-snapshot.ts";
import { allowsHardLinks, type Source } from "../source/source.ts";
import { type BundleAccess, BundleReader } from "./bundle-reader.ts";
import { errorsOf, FolderView, folderOf, type ScannedSource, type ShelfPlace } from "./folder-view.ts";
import type { ByteRange, LibraryChange, SkillFile } from "./library.ts";
import { type LibraryPorts, recordDiscovery } from "./library-audit.ts";
import type { FilePart, OpenBundle, Shelf } from "./shelf.ts";
import { TextCache } from "./text-keeper.ts";

export interface FolderShelfOptions {
  /** Sorted by precedence. */
  readonly sources: readonly Source[];
  readonly host: Host;
  readonly limits: Limits;
  readonly cache?: IndexCache | undefined;
  /** Lets reads be cached for a while; without a clock every read is complete. */
  readonly ports: LibraryPorts;
  /** Keep texts for later broken edits. Worth its memory only while folders are watched. */
  readonly keepsTexts?: boolean;
}

type Look = Pick<SourceScanOptions, "isFull" | "suspect" | "signal" | "onProgress">;

/** Known reasons for a reload. */
interface ReloadHints {
  /** A skill folder to read again regardless of its stats. */
  readonly suspect?: string;
  /** Skill folders with other changed files than SKILL.md. */
  readonly edited?: ReadonlySet<string>;
}

const NO_FOLDERS: ReadonlySet<string> = new Set();

/** Enough for about 3,500 skills of the usual size. */
const KEPT_TEXT_BYTES = 32 * 1024 * 1024;
const TEXTS_BETWEEN_RESTS = 64;

/** Skills in folders on disk. Each reload replaces the whole state, so readers never see a partial one. */
export class FolderShelf implements Shelf {
  readonly #options: FolderShelfOptions;
  readonly #reader: BundleReader;
  readonly #texts = new TextCache(KEPT_TEXT_BYTES);
  readonly #listeners = new Set<(change: LibraryChange) => void>();
  readonly #unsaved = new Map<string, SourceScan>();
  readonly #fresh = new Set<FolderRow>();
  #lastGood: ReadonlyMap<string, FolderRow> = new Map();
  #scanned: readonly ScannedSource[] = [];
  #view: FolderView;
  readonly #reloads = new SerialQueue();

  private constructor(options: FolderShelfOptions) {
    this.#options = options;
    this.#reader = new BundleReader(options.limits, options.ports.clock);
    this.#view = new FolderView([], options.host);
  }

  static async open(
    options: FolderShelfOptions,
    look: Pick<Look, "signal" | "onProgress"> = {},
  ): Promise<FolderShelf> {
    const shelf = new FolderShelf(options);
    shelf.#scanned = await shelf.#scan(look);
    const empty = shelf.#view;
    shelf.#view = new FolderView(shelf.#scanned, options.host);
    await shelf.#recordDiscovery(empty);
    shelf.#save();
    // Without cached texts, a broken edit hides its skill until it is fixed, which is not worth failing for.
    if (options.keepsTexts) shelf.#reloads.run(() => shelf.#keepTexts()).catch(() => {});
    return shelf;
  }

  /** No refresh needed: the folders are watched, or scanned by `reload`. */
  async refresh(): Promise<void> {}

  view(): FolderView {
    return this.#view;
  }

  scanned(): readonly ScannedSource[] {
    return this.#scanned;
  }

  /** Scans all sources. Reloads run one at a time; a request during one starts another afterwards. */
  reload(isFull = false, hints: ReloadHints = {}): Promise<LibraryChange | undefined> {
    return this.#reloads.run(() => this.#reload(isFull, hints));
  }

  async open(entry: SkillEntry): Promise<OpenBundle> {
    const place = this.#getPlace(entry.id);
    if (this.#isBroken(place)) return await this.#openBroken(place, entry);
    const read = await this.#reader.readSkillFile(place.folder, place.row.file, accessOf(place));
    if (read === undefined || read.skillHash !== entry.skillHash) return await this.#openChanged(entry);
    const { treeHash, files, skillHash } = read;
    this.#texts.keep(skillHash, read.bytes);
    const skill = parseSkill(read.bytes, this.#options.limits);
    return { entry, skill, skillHash, treeHash, files, folder: place.folder, isLastGood: false };
  }

  async copy(entry: SkillEntry, folder: string): Promise<Digest> {
    const place = this.#getWhole(entry.id);
    return await this.#reader.copy(place.folder, folder, accessOf(place));
  }

  async readFile(entry: SkillEntry, path: string, range: Required<ByteRange>): Promise<FilePart> {
    const place = this.#getWhole(entry.id);
    const part = await this.#reader.readPart(place.folder, path, range, accessOf(place));
    const skillHash = hashInstructions(place, part.files);
    if (skillHash === entry.skillHash) return { ...part, entry };
    // The skill changed since the lookup, so it is read again.
    await this.reload(true, { suspect: place.folder });
    const fresh = this.#view.find(entry.id);
    if (fresh === undefined) throw new SkillError("SKILL_NOT_FOUND", `There is no skill ${entry.id}.`);
    if (fresh.skillHash === entry.skillHash)
      throw new SkillError("IO_FAILED", `The skill ${entry.id} keeps changing during the read.`);
    return await this.readFile(fresh, path, range);
  }

  onChange(listener: (change: LibraryChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    await this.#reloads.idle();
  }

  async #reload(
    isFull: boolean,
    { suspect, edited = NO_FOLDERS }: ReloadHints,
  ): Promise<LibraryChange | undefined> {
    const scanned = await this.#scan({ isFull, suspect });
    const isSame = scanned.every(({ scan }, index) => scan === this.#scanned[index]?.scan);
    if (isSame && edited.size === 0) return undefined;
    const before = this.#view;
    const told = new Set([...before.places()].filter((place) => this.#isBroken(place)).map(({ id }) => id));
    this.#lastGood = this.#keepLastGood(scanned);
    this.#scanned = scanned;
    this.#view = new FolderView(scanned, this.#options.host, this.#lastGood);
    await this.#recordDiscovery(before);
    const change = changeBetween(before, this.#view, scanned, { told, edited });
    try {
      if (change !== undefined) this.#tell(change);
    } finally {
      // Waiting callers continue first, because writing the cache takes as long as scanning.
      await setImmediate();
      this.#save();
    }
    return change;
  }

  /** Notifies every listener, then throws the first failure. */
  #tell(change: LibraryChange): void {
    const failures: unknown[] = [];
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  async #recordDiscovery(before: FolderView): Promise<void> {
    const { audit, clock } = this.#options.ports;
    if (audit !== undefined) await recordDiscovery(before, this.#view, this.#fresh, { audit, clock });
    this.#fresh.clear();
  }

  /** Reads the texts of cached skills, so that the last valid text exists before a broken edit. */
  async #keepTexts(): Promise<void> {
    let count = 0;
    for (const { folder, row } of this.#view.places()) {
      const { skillHash } = row;
      if (this.#texts.isFull) return;
      if (this.#texts.find(skillHash) !== undefined) continue;
      const read = readBounded(join(folder, row.file), this.#options.limits.skillFileBytes, {
        allowHardLinks: true,
      });
      if ("bytes" in read && hashSkillFile(read.bytes) === skillHash) this.#texts.keep(skillHash, read.bytes);
      count += 1;
      if (count % TEXTS_BETWEEN_RESTS === 0) await setImmediate();
    }
  }

  #save(): void {
    const { cache, limits } = this.#options;
    for (const [key, scan] of this.#unsaved) cache?.save(key, encodeScan(scan, limits));
    this.#unsaved.clear();
  }

  async #scan(look: Look): Promise<readonly ScannedSource[]> {
    const { sources, limits, cache, ports } = this.#options;
    const nowMs = ports.clock.now().getTime();
    const scanned: ScannedSource[] = [];
    for (const [index, source] of sources.entries()) {
      const key = scanKey(source);
      const last = this.#scanned[index]?.scan ?? loadScan(cache?.load(key), limits);
      const onRead = this.#options.keepsTexts
        ? { onRead: (opened: OpenedSkill) => this.#keepText(opened) }
        : {};
      const scan = await scanSource(source, { limits, last, nowMs, ...look, ...onRead });
      if (scan !== last && cache !== undefined) this.#unsaved.set(key, scan);
      if (scan !== last && ports.audit !== undefined) this.#noteFresh(scan, last);
      scanned.push({ source, scan });
    }
    return scanned;
  }

  #noteFresh(scan: SourceScan, last: SourceScan | undefined): void {
    const known = new Set(last?.rows);
    for (const row of scan.rows) if (!known.has(row)) this.#fresh.add(row);
  }

  #keepText({ bytes, skill }: OpenedSkill): void {
    if (skill.isReadable) this.#texts.keep(hashSkillFile(bytes), bytes);
  }

  /** The last valid row of each invalid folder, while its text is kept. */
  #keepLastGood(scanned: readonly ScannedSource[]): ReadonlyMap<string, FolderRow> {
    const kept = new Map<string, FolderRow>();
    for (const { scan } of scanned) {
      for (const row of scan.rows) {
        if (row.isValid) continue;
        const folder = folderOf(scan.root, row);
        const last = this.#view.place(row.idBelow(scan.root));
        if (last?.folder === folder && this.#texts.find(last.row.skillHash) !== undefined)
          kept.set(folder, last.row);
      }
    }
    return kept;
  }

  /** The file differs from the index: updates the index and reads the skill again. */
  async #openChanged(entry: SkillEntry): Promise<OpenBundle> {
    await this.reload(true, { suspect: this.#getPlace(entry.id).folder });
    const fresh = this.#view.find(entry.id);
    if (fresh === undefined) throw new SkillError("SKILL_NOT_FOUND", `There is no skill ${entry.id}.`);
    if (fresh.skillHash !== entry.skillHash || this.#isBroken(this.#getPlace(entry.id)))
      return await this.open(fresh);
    throw new SkillError("IO_FAILED", `The skill ${entry.id} keeps changing during the read.`);
  }

  /** Scans again first: the last scan may have seen a file that was being written. */
  async #openBroken({ folder }: ShelfPlace, { id }: SkillEntry): Promise<OpenBundle> {
    await this.reload(true, { suspect: folder });
    const fresh = this.#view.find(id);
    if (fresh === undefined) throw new SkillError("SKILL_NOT_FOUND", `There is no skill ${id}.`);
    const place = this.#getPlace(id);
    return this.#isBroken(place) ? this.#openLastGood(place, fresh) : await this.open(fresh);
  }

  #openLastGood({ row }: ShelfPlace, entry: SkillEntry): OpenBundle {
    const { skillHash } = row;
    const bytes = this.#texts.find(skillHash);
    if (bytes === undefined) throw new SkillError("SKILL_INVALID", `The SKILL.md of ${entry.id} is invalid.`);
    const file = {
      path: "SKILL.md",
      size: bytes.length,
      digest: skillHash,
      executable: false,
      role: "instructions",
    };
    const treeHash: Digest = combineDigests([file]);
    const skill = parseSkill(bytes, this.#options.limits);
    return { entry, skill, skillHash, treeHash, files: [file], folder: undefined, isLastGood: true };
  }

  #isBroken({ folder }: ShelfPlace): boolean {
    return this.#lastGood.has(folder);
  }

  /** The location of a skill with usable files; they are unusable while its SKILL.md is invalid. */
  #getWhole(id: string): ShelfPlace {
    const place = this.#getPlace(id);
    if (!this.#isBroken(place)) return place;
    throw new SkillError(
      "SKILL_INVALID",
      `The files of ${id} are unavailable because its SKILL.md is invalid.`,
    );
  }

  #getPlace(id: string): ShelfPlace {
    const place = this.#view.place(id);
    if (place === undefined) throw new SkillError("SKILL_NOT_FOUND", `There is no skill ${id}.`);
    return place;
  }
}

/** The inputs of a scan besides the folders. */
function scanKey(source: Source): string {
  const { root, followLinks = false, gitignore = false, strict = false, isNamed = false } = source;
  const rest = `${strict ? ":strict" : ""}${isNamed ? ":named" : ""}`;
  return `scan:${root}:${followLinks}:${gitignore}:${allowsHardLinks(source)}${rest}`;
}

/** The hash of SKILL.md among the files of a skill, or of the generated one of a folder with only tools. */
function hashInstructions({ folder, row }: ShelfPlace, files: readonly SkillFile[]): Digest | undefined {
  if (row.file !== TOOLS_FOLDER) return files.find(({ path }) => path === row.file)?.digest;
  const generated = readToolsText(folder);
  return generated === undefined ? undefined : hashSkillFile(generated);
}

function accessOf({ source, root }: ShelfPlace): BundleAccess {
  return { allowHardLinks: allowsHardLinks(source), within: root };
}

function loadScan(bytes: Uint8Array | undefined, limits: Limits): SourceScan | undefined {
  return bytes === undefined ? undefined : decodeScan(bytes, limits);
}

/**
 * The effect of a reload on the current skills; undefined without an effect. `told` are the broken skills that were
 * already reported, and `edited` the folders of skills with other changed files than SKILL.md.
 */
export function changeBetween(
  before: FolderView,
  after: FolderView,
  scanned: readonly ScannedSource[],
  { told, edited }: { readonly told: ReadonlySet<string>; readonly edited: ReadonlySet<string> },
): LibraryChange | undefined {
  const added: string[] = [];
  const changed: string[] = [];
  for (const place of after.places()) {
    const last = before.place(place.id);
    if (last === undefined) added.push(place.id);
    else if (isOther(last, place) || edited.has(place.folder)) changed.push(place.id);
  }
  const removed: string[] = [];
  for (const { id } of before.places()) if (after.place(id) === undefined) removed.push(id);
  const broken = brokenPlaces(after, scanned).filter(({ id }) => !told.has(id));
  if (added.length + changed.length + removed.length + broken.length === 0) return undefined;
  return { added: added.sort(), changed: changed.sort(), removed: removed.sort(), broken };
}

/** Rewriting or touching a file without a new hash is not a change. */
function isOther(last: ShelfPlace, place: ShelfPlace): boolean {
  if (last.folder !== place.folder || last.source !== place.source) return true;
  return last.row !== place.row && last.row.factsText !== place.row.factsText;
}

/** Skills that keep their last valid text because the file on disk is invalid. */
function brokenPlaces(after: FolderView, scanned: readonly ScannedSource[]): LibraryChange["broken"] {
  const invalid = new Map<string, string>();
  for (const { scan } of scanned) {
    for (const row of scan.rows) {
      if (row.isValid) continue;
      const folder = folderOf(scan.root, row);
      invalid.set(folder, errorsOf(row));
    }
  }
  if (invalid.size === 0) return [];
  return [...after.places()].flatMap(({ id, folder }: ShelfPlace) => {
    const message = invalid.get(folder);
    return message === undefined ? [] : [{ id, message }];
  });
}
