import type { InvalidSkill, ShadowedSkill, ShelfView } from "@skillhold/core/library";
import { recordSkill, toEntry } from "@skillhold/core/source";
import type { SkillEntry } from "@skillhold/protocol";
import type { Limits } from "@skillhold/protocol/limits";
import { folderId, type Host, isSkillId, skillType } from "@skillhold/skill";
import type { ListedSkill } from "./listed-skill.ts";
import type { ServerListing } from "./listing.ts";
import type { SkillUri } from "./skill-uri.ts";

export interface ViewOptions {
  /** The source label of the server. */
  readonly source: string;
  readonly host: Host;
  readonly limits: Limits;
}

/** A snapshot of a server's list, as a view of a library. */
export class McpView implements ShelfView {
  readonly entries: readonly SkillEntry[];
  readonly shadowed: readonly ShadowedSkill[];
  readonly invalid: readonly InvalidSkill[];
  /** All usable skills, including shadowed ones. */
  readonly listed: readonly ListedSkill[];
  readonly #skills: ReadonlyMap<string, ShownSkill>;

  constructor({ skills, refused }: Pick<ServerListing, "skills" | "refused">, options: ViewOptions) {
    const { source } = options;
    const shown = new Map<string, ShownSkill>();
    const shadowed: ShadowedSkill[] = [];
    const ids = nameSkills(skills.map(({ uri }) => uri));
    for (const listed of skills) {
      const id = ids.get(listed.uri.key);
      if (id !== undefined) shown.set(id, { listed, entry: makeEntry(listed, id, options) });
    }
    for (const { uri } of skills) {
      const winner = ids.has(uri.key) ? undefined : shown.get(uri.name);
      if (winner !== undefined)
        shadowed.push({ id: uri.name, path: uri.folder, source, by: { source, path: winner.entry.path } });
    }
    this.listed = skills;
    this.#skills = shown;
    this.entries = [...shown.values()].map(({ entry }) => entry).sort((a, b) => (a.id < b.id ? -1 : 1));
    this.shadowed = shadowed;
    this.invalid = refused.map(({ id, uri, diagnostics }) => ({ id, path: uri, source, diagnostics }));
  }

  find(id: string): SkillEntry | undefined {
    return this.#skills.get(id)?.entry;
  }

  /** The skill of an id, if its path is still the same. */
  skill({ id, path }: Pick<SkillEntry, "id" | "path">): ShownSkill | undefined {
    const shown = this.#skills.get(id);
    return shown?.entry.path === path ? shown : undefined;
  }

  /** Remote skills have no standing. */
  standing(): undefined {
    return undefined;
  }

  /** Third-party skills rank below all skills of this machine. */
  kind(id: string): "third_party" | undefined {
    return this.#skills.has(id) ? "third_party" : undefined;
  }
}

export interface ShownSkill {
  readonly listed: ListedSkill;
  readonly entry: SkillEntry;
}

/** The estimate for unread text. */
const BYTES_PER_TOKEN = 4;
const NO_BYTES = new Uint8Array();

function makeEntry(
  { uri, listed, files, skillFile, treeHash }: ListedSkill,
  id: string,
  { source, host, limits }: ViewOptions,
): SkillEntry {
  const { name: folder, folder: path } = uri;
  const opened = { skill: listed, subject: { folder }, bytes: NO_BYTES };
  const type = skillType(
    files.map((file) => file.path),
    true,
  );
  const record = recordSkill(opened, type, limits);
  const located = { id, source, trust: "third_party", path, file: "SKILL.md", mtimeMs: 0 } as const;
  const known = { skillHash: skillFile.digest, bodyTokens: Math.ceil(skillFile.size / BYTES_PER_TOKEN) };
  const entry = toEntry({ ...record, ...known }, located, host);
  // The instructions are unknown until the skill is read.
  const diagnostics = entry.diagnostics.filter(({ code }) => code !== "BODY_EMPTY");
  return { ...entry, diagnostics, treeHash };
}

/**
 * Assigns ids to a server's skills, by URI key. The skill with the shortest URI gets its plain name; other skills with the
 * same name get as much of their path as makes them unique. A skill without a unique id gets none.
 */
export function nameSkills(uris: readonly SkillUri[]): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  const taken = new Set<string>();
  const later: SkillUri[] = [];
  for (const uri of uris.toSorted(compareLength)) {
    if (taken.has(uri.name)) later.push(uri);
    else ids.set(uri.key, uri.name);
    taken.add(uri.name);
  }
  for (const uri of later) {
    const id = idsOf(uri).find((each) => isSkillId(each) && !taken.has(each));
    if (id === undefined) continue;
    ids.set(uri.key, id);
    taken.add(id);
  }
  return ids;
}

/** Ids from increasingly long ends of the path. */
function idsOf({ key }: SkillUri): readonly string[] {
  const segments = segmentsOf(key);
  const ends = segments.slice(0, -1).map((_, at) => segments.slice(-2 - at));
  return ends.map((end) => folderId(end.join("-")).id);
}

/** The decoded segments between the scheme and SKILL.md. */
function segmentsOf(key: string): readonly string[] {
  return key.split("/").slice(2, -1).map(decodeURIComponent);
}

function compareLength(a: SkillUri, b: SkillUri): number {
  return segmentsOf(a.key).length - segmentsOf(b.key).length || (a.key < b.key ? -1 : 1);
}
