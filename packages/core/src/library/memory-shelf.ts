import type { Digest, SkillEntry, Trust } from "@skillhold/protocol";
import { SkillError } from "@skillhold/protocol/error";
import type { Limits } from "@skillhold/protocol/limits";
import { fileRole, folderId, type Host, parseSkill, skillType } from "@skillhold/skill";
import {
  combineDigests,
  hashSkillFile,
  normalizeRelative,
  type RelativePath,
  rejectNonEmpty,
  writeCopy,
} from "../bundle/index.ts";
import type { SearchDocument } from "../search/index.ts";
import { toEntry } from "../source/entry.ts";
import { recordSkill } from "../source/record.ts";
import type { ByteRange, LibraryChange, SkillFile } from "./library.ts";
import type { SearchTexts } from "./library-search.ts";
import { EVALUATION_BYTES, REFERENCE_BYTES, selectSearchedFiles } from "./searched-file.ts";
import type { FilePart, InvalidSkill, OpenBundle, ShadowedSkill, Shelf, ShelfView } from "./shelf.ts";
import { toDocument } from "./skill-document.ts";

/** A skill as files by path, as text or bytes, including SKILL.md. */
export interface MemorySkill {
  /** The folder name. */
  readonly folder: string;
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  readonly trust?: Trust;
}

/** Skills in memory, created or fetched by a program. */
export class MemoryShelf implements Shelf, SearchTexts {
  readonly #limits: Limits;
  readonly #host: Host;
  readonly #listeners = new Set<(change: LibraryChange) => void>();
  #skills: ReadonlyMap<string, LoadedSkill> = new Map();
  #view: ShelfView = makeView(new Map(), [], []);

  constructor(skills: readonly MemorySkill[], host: Host, limits: Limits) {
    this.#host = host;
    this.#limits = limits;
    this.replace(skills);
  }

  /** Replaces all skills. */
  replace(skills: readonly MemorySkill[]): void {
    const before = this.#skills;
    const loaded = new Map<string, LoadedSkill>();
    const shadowed: ShadowedSkill[] = [];
    const invalid: InvalidSkill[] = [];
    for (const skill of skills) {
      const next = load(skill, this.#host, this.#limits);
      const { id, path, source } = next.entry;
      const winner = loaded.get(id);
      if (!next.isValid) invalid.push({ id, path, source, diagnostics: next.entry.diagnostics });
      else if (winner !== undefined)
        shadowed.push({ id, path, source, by: { source, path: winner.entry.path } });
      else loaded.set(id, next);
    }
    this.#skills = loaded;
    this.#view = makeView(loaded, shadowed, invalid);
    this.#announce(before, loaded);
  }

  async refresh(): Promise<void> {}

  view(): ShelfView {
    return this.#view;
  }

  async open({ id }: SkillEntry): Promise<OpenBundle> {
    const { entry, files, treeHash, skillBytes } = this.#get(id);
    const skill = parseSkill(skillBytes, this.#limits);
    return {
      entry,
      skill,
      skillHash: entry.skillHash,
      treeHash,
      files,
      folder: undefined,
      isLastGood: false,
    };
  }

  async readFile(
    { id }: SkillEntry,
    path: string,
    { start, length }: Required<ByteRange>,
  ): Promise<FilePart> {
    const { entry, contents, files, treeHash } = this.#get(id);
    const wanted = normalizeRelative(path, this.#limits);
    const bytes = contents.get(wanted);
    const digest = files.find((file) => file.path === wanted)?.digest;
    if (bytes === undefined || digest === undefined)
      throw new SkillError("PATH_NOT_FOUND", `${path}: The skill has no such file.`);
    return { entry, bytes: bytes.subarray(start, start + length), size: bytes.length, digest, treeHash };
  }

  async copy({ id }: SkillEntry, folder: string): Promise<Digest> {
    const { contents, files, treeHash } = this.#get(id);
    rejectNonEmpty(folder);
    const made = new Set([folder]);
    for (const [path, bytes] of contents) {
      const executable = files.some((file) => file.path === path && file.executable);
      writeCopy(folder, { path, executable }, bytes, made);
    }
    return treeHash;
  }

  keyOf({ id, skillHash }: SkillEntry): string {
    return this.#skills.get(id)?.treeHash ?? skillHash;
  }

  document({ id }: SkillEntry): SearchDocument | undefined {
    const skill = this.#skills.get(id);
    if (skill === undefined) return undefined;
    const { references, evaluations } = selectSearchedFiles([...skill.contents.keys()]);
    const read = (path: string, most: number) => {
      // Paths come from the keys of the map.
      const bytes = skill.contents.get(path as RelativePath) ?? new Uint8Array();
      return new TextDecoder().decode(bytes.subarray(0, most));
    };
    const document = toDocument(skill.entry, parseSkill(skill.skillBytes, this.#limits), {
      references: references.map((path) => read(path, REFERENCE_BYTES)),
      evaluations: evaluations.map((path) => read(path, EVALUATION_BYTES)),
    });
    return { ...document, key: skill.treeHash };
  }

  body({ id }: SkillEntry): string | undefined {
    const skill = this.#skills.get(id);
    return skill && parseSkill(skill.skillBytes, this.#limits).body;
  }

  onChange(listener: (change: LibraryChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#listeners.clear();
  }

  #announce(before: ReadonlyMap<string, LoadedSkill>, after: ReadonlyMap<string, LoadedSkill>): void {
    const added = [...after.keys()].filter((id) => !before.has(id)).sort();
    const removed = [...before.keys()].filter((id) => !after.has(id)).sort();
    const isChanged = (id: string) => before.has(id) && before.get(id)?.treeHash !== after.get(id)?.treeHash;
    const changed = [...after.keys()].filter(isChanged).sort();
    if (added.length + removed.length + changed.length === 0) return;
    for (const listener of this.#listeners) listener({ added, changed, removed, broken: [] });
  }

  #get(id: string): LoadedSkill {
    const skill = this.#skills.get(id);
    if (skill === undefined) throw new SkillError("SKILL_NOT_FOUND", `The skill ${id} no longer exists.`);
    return skill;
  }
}

interface LoadedSkill {
  readonly entry: SkillEntry;
  readonly isValid: boolean;
  readonly contents: ReadonlyMap<RelativePath, Uint8Array>;
  readonly files: readonly SkillFile[];
  readonly treeHash: Digest;
  readonly skillBytes: Uint8Array;
}

function load({ folder, files, trust = "user" }: MemorySkill, host: Host, limits: Limits): LoadedSkill {
  const contents = new Map(
    Object.entries(files).map(([path, content]) => [
      normalizeRelative(path, limits),
      typeof content === "string" ? new TextEncoder().encode(content) : content,
    ]),
  );
  const skillBytes = contents.get(normalizeRelative("SKILL.md")) ?? new Uint8Array();
  const digests = [...contents].map(([path, bytes]) => ({
    path,
    size: bytes.length,
    digest: hashSkillFile(bytes),
    executable: path.startsWith("scripts/"),
    role: fileRole(path),
  }));
  const skill = parseSkill(skillBytes, limits);
  const stamp = { mtimeMs: 0, ctimeMs: 0, size: skillBytes.length, ino: 0 };
  const opened = { folder, file: undefined, skill, subject: { folder }, bytes: skillBytes, stamp };
  const record = recordSkill(opened, skillType(contents.keys(), true), limits);
  const found = {
    id: folderId(folder).id,
    source: "memory",
    trust,
    path: folder,
    file: "SKILL.md",
    mtimeMs: 0,
  };
  const entry = toEntry(record, found, host);
  return {
    entry,
    isValid: record.isValid,
    contents,
    files: digests,
    treeHash: combineDigests(digests),
    skillBytes,
  };
}

function makeView(
  skills: ReadonlyMap<string, LoadedSkill>,
  shadowed: readonly ShadowedSkill[],
  invalid: readonly InvalidSkill[],
): ShelfView {
  const entries = [...skills.values()].map(({ entry }) => entry).sort((a, b) => (a.id < b.id ? -1 : 1));
  const find = (id: string) => skills.get(id)?.entry;
  return { entries, find, standing: () => undefined, kind: (id) => find(id)?.trust, shadowed, invalid };
}
