import { hash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import {
  type AgentStanding,
  type InvalidSkill,
  type LibraryChange,
  type Ownership,
  revisionName,
  type ShelfView,
  type SkillDecision,
} from "@skillhold/core/library";
import { type SourceKind, toEntry } from "@skillhold/core/source";
import type { SkillEntry } from "@skillhold/protocol";
import type { Host } from "@skillhold/skill";
import {
  type CurrentSkill,
  type RegisteredSkill,
  type Revision,
  shownFields,
} from "../record/registered-skill.ts";
import { type MappedSkill, SkillMap, type SkillSnapshot } from "./skill-map.ts";

/** The inputs for building entries. */
export interface EntryContext {
  readonly host: Host;
  /** The label of the registry among the sources of a library. */
  readonly label: string;
  /** The path of a skill's files, whether or not they exist. */
  pathOf(skill: RegisteredSkill): string;
  /** The entries with overridden fields. */
  readonly overridden: WeakSet<SkillEntry>;
  /** The entries of pinned revisions. */
  readonly pinned: WeakSet<SkillEntry>;
}

/** The registry state that does not belong to one skill. */
export interface RegistrySettings {
  /** By key, including agents removed since the view was first built. */
  readonly agents: ReadonlyMap<string, AgentStanding>;
  /** The ids of disabled folder skills. */
  readonly folderOff: ReadonlySet<string>;
}

const SKILLS_BETWEEN_RESTS = 1000;

/** The skills of a registry at one moment. Entries are built on demand. */
export class RegistryView implements ShelfView {
  /** Ids are unique in a registry. */
  readonly shadowed = [];
  readonly settings: RegistrySettings;
  readonly #skills: SkillMap;
  readonly #context: EntryContext;
  #entries: readonly SkillEntry[] | undefined;
  #alternates: ReadonlyMap<string, SkillEntry> | undefined;

  private constructor(skills: SkillMap, settings: RegistrySettings, context: EntryContext) {
    this.#skills = skills;
    this.settings = settings;
    this.#context = context;
  }

  static of(
    skills: readonly SkillSnapshot[],
    settings: RegistrySettings,
    context: EntryContext,
  ): RegistryView {
    return new RegistryView(SkillMap.of(skills), settings, context);
  }

  /** Builds all entries, with pauses: the first list of many skills would block other work. */
  async prepare(): Promise<void> {
    for (const [at, skill] of this.#skills.list().entries()) {
      if (isValid(skill)) this.#entryOf(skill);
      skill.standing ??= new Standing(skill, this.#context);
      if ((at + 1) % SKILLS_BETWEEN_RESTS === 0) await setImmediate();
    }
  }

  get entries(): readonly SkillEntry[] {
    this.#entries ??= this.#listEntries();
    return this.#entries;
  }

  find(id: string): SkillEntry | undefined {
    const skill = this.#skills.find(id);
    return skill !== undefined && isValid(skill) ? this.#entryOf(skill) : undefined;
  }

  standing(id: string): SkillDecision | undefined {
    const mapped = this.#skills.find(id);
    if (mapped === undefined) return undefined;
    mapped.standing ??= new Standing(mapped, this.#context);
    return mapped.standing;
  }

  /** Pinned revisions that are not current. */
  get alternates(): ReadonlyMap<string, SkillEntry> {
    this.#alternates ??= new Map(
      this.#skills
        .list()
        .filter(({ pinned }) => pinned.length > 0)
        .flatMap(({ current: { skill }, pinned }) =>
          pinned.flatMap(({ revision }) => {
            const entry = this.standing(skill.id)?.ownership?.revision(revision);
            return entry === undefined ? [] : [[revisionName(skill.id, revision), entry] as const];
          }),
        ),
    );
    return this.#alternates;
  }

  agent(key: string): AgentStanding | undefined {
    return this.settings.agents.get(key);
  }

  /** A registry has skills of all trust levels; each ranks by its own. */
  kind(id: string): SourceKind | undefined {
    return this.#skills.find(id)?.current.revision.trust;
  }

  /** All skills, including invalid ones. */
  snapshots(): readonly SkillSnapshot[] {
    return this.#skills.list();
  }

  findSnapshot(id: string): SkillSnapshot | undefined {
    return this.#skills.find(id);
  }

  /** The same skills with other settings. */
  among(settings: RegistrySettings): RegistryView {
    return new RegistryView(this.#skills, settings, this.#context);
  }

  since(earlier: ShelfView): ReadonlySet<string> | undefined {
    return earlier instanceof RegistryView ? this.#skills.since(earlier.#skills) : undefined;
  }

  row(id: string): RegisteredSkill | undefined {
    return this.#skills.find(id)?.current.skill;
  }

  get invalid(): readonly InvalidSkill[] {
    const invalid = this.#skills.list().filter((skill) => !isValid(skill));
    return invalid.map(({ current: { skill, revision } }) => {
      const { id } = skill;
      const { diagnostics } = revision.record;
      return { id, path: this.#context.pathOf(skill), source: this.#context.label, diagnostics };
    });
  }

  /** The view after some skills were read again, and the change; undefined if they are the same. */
  with(
    ids: Iterable<string>,
    found: readonly SkillSnapshot[],
  ): { readonly view: RegistryView; readonly change: LibraryChange } | undefined {
    const now = new Map<string, SkillSnapshot>(found.map((held) => [held.current.skill.id, held]));
    const added: string[] = [];
    const changed: string[] = [];
    const removed: string[] = [];
    const touched = new Map<string, MappedSkill | undefined>();
    for (const id of ids) {
      const before = this.#skills.find(id);
      const after = now.get(id);
      if (before === undefined && after === undefined) continue;
      if (before !== undefined && after !== undefined && isSame(before, after)) continue;
      touched.set(id, after === undefined ? undefined : { ...after });
      const list = before === undefined ? added : after === undefined ? removed : changed;
      list.push(id);
    }
    if (touched.size === 0) return undefined;
    return {
      view: new RegistryView(this.#skills.with(touched), this.settings, this.#context),
      change: { added: added.sort(), changed: changed.sort(), removed: removed.sort(), broken: [] },
    };
  }

  #listEntries(): readonly SkillEntry[] {
    const entries: SkillEntry[] = [];
    for (const skill of this.#skills.list()) if (isValid(skill)) entries.push(this.#entryOf(skill));
    return entries;
  }

  #entryOf(mapped: MappedSkill): SkillEntry {
    mapped.entry ??= entryOf(mapped.current, this.#context);
    return mapped.entry;
  }
}

function isValid({ current }: MappedSkill): boolean {
  return current.revision.record.isValid;
}

/** Revisions are immutable except for purging, so equal rows mean equal skills. */
function isSame(before: SkillSnapshot, after: SkillSnapshot): boolean {
  const rows = ({ current: { skill }, grants, pinned, isPinned }: SkillSnapshot) => {
    const revisions = pinned.map(({ revision, purgedAt }) => [revision, purgedAt]);
    return JSON.stringify([skill, grants, isPinned, revisions]);
  };
  return rows(before) === rows(after);
}

/** The decision about a skill, which refers to its row: a library keeps one for each skill. */
class Standing implements SkillDecision, Ownership {
  readonly #mapped: MappedSkill;
  readonly #context: EntryContext;
  #pinned: Map<number, SkillEntry | undefined> | undefined;

  constructor(mapped: MappedSkill, context: EntryContext) {
    this.#mapped = mapped;
    this.#context = context;
  }

  get ownership(): Ownership {
    return this;
  }

  get isEnabled() {
    return this.#skill.isEnabled;
  }

  get status() {
    return this.#skill.status;
  }

  get reason() {
    return this.#skill.reason;
  }

  get owner() {
    return this.#skill.owner;
  }

  get visibility() {
    return this.#skill.visibility;
  }

  get isSystem() {
    return this.#skill.isSystem;
  }

  get grants() {
    return this.#mapped.grants;
  }

  get isPinned() {
    return this.#mapped.isPinned;
  }

  revision(number: number): SkillEntry | undefined {
    this.#pinned ??= new Map();
    if (!this.#pinned.has(number)) {
      const { current, pinned } = this.#mapped;
      this.#pinned.set(number, pinnedEntry(number, current.skill, pinned, this.#context));
    }
    return this.#pinned.get(number);
  }

  get #skill(): RegisteredSkill {
    return this.#mapped.current.skill;
  }
}

/** Overrides and missing dependencies apply only to the current revision. */
function pinnedEntry(
  number: number,
  skill: RegisteredSkill,
  pinned: readonly Revision[],
  context: EntryContext,
): SkillEntry | undefined {
  const revision = pinned.find((each) => each.revision === number);
  if (revision === undefined || revision.purgedAt !== undefined || !revision.record.isValid) return undefined;
  const { treeHash } = revision;
  const own = { ...skill, revision: number, treeHash, override: {}, missing: [] };
  const entry = entryOf({ skill: own, revision }, context);
  context.pinned.add(entry);
  return entry;
}

function entryOf({ skill, revision }: CurrentSkill, context: EntryContext): SkillEntry {
  const { host, label, pathOf, overridden } = context;
  const { id, override, treeHash, missing } = skill;
  const { record, trust, createdAt } = revision;
  const path = pathOf(skill);
  const found = { id, source: label, trust, path, file: "SKILL.md", mtimeMs: Date.parse(createdAt) };
  const isOwn = isEmpty(override);
  const entry = toEntry(isOwn ? record : { ...record, ...shownFields(record, override) }, found, host);
  if (!isOwn) overridden.add(entry);
  // Mutates the new entry, because copying every entry again is measurable with many skills.
  return Object.assign(
    entry,
    { revision: skill.revision },
    // One string for both, because a library keeps all of them.
    entry.lastModified === createdAt ? { lastModified: createdAt } : undefined,
    treeHash === undefined ? undefined : { treeHash },
    missing.length === 0 ? undefined : { readiness: lacking(entry.readiness, missing) },
  );
}

function isEmpty(override: RegisteredSkill["override"]): boolean {
  for (const _ in override) return false;
  return true;
}

function lacking(
  { state, reasons }: SkillEntry["readiness"],
  missing: readonly string[],
): SkillEntry["readiness"] {
  return {
    state: state === "unsupported" ? state : "missing-deps",
    reasons: [...reasons, ...missing.map((name) => `${name} is missing`)],
  };
}

/** Identifies the searchable text of a skill: its files and its overridden fields. */
export function textKey(entry: SkillEntry, isOverridden: boolean): string {
  const { treeHash, skillHash, name, description, tags } = entry;
  const files = treeHash ?? skillHash;
  if (!isOverridden) return files;
  return `${files}+${hash("sha256", JSON.stringify([name, description, tags]), "hex")}`;
}
