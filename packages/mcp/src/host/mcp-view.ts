import type { InvalidSkill, ShadowedSkill, ShelfView } from "@skillhold/core/library";
import { recordSkill, toEntry } from "@skillhold/core/source";
import type { SkillEntry } from "@skillhold/protocol";
import type { Limits } from "@skillhold/protocol/limits";
import { type Host, skillType } from "@skillhold/skill";
import type { ListedSkill } from "./listed-skill.ts";
import type { Listing } from "./listing.ts";
import { nameSkills } from "./skill-name.ts";

export interface ViewMaking {
  /** The label that the host gave the server, as a source. */
  readonly source: string;
  readonly host: Host;
  readonly limits: Limits;
}

/** What a server listed at one moment, as a library shows it. */
export class McpView implements ShelfView {
  readonly entries: readonly SkillEntry[];
  readonly shadowed: readonly ShadowedSkill[];
  readonly invalid: readonly InvalidSkill[];
  /** All that can be used, those too that another one of the same name keeps from it. */
  readonly listed: readonly ListedSkill[];
  readonly #skills: ReadonlyMap<string, ShownSkill>;

  constructor({ skills, refused }: Pick<Listing, "skills" | "refused">, making: ViewMaking) {
    const { source } = making;
    const shown = new Map<string, ShownSkill>();
    const shadowed: ShadowedSkill[] = [];
    const ids = nameSkills(skills.map(({ uri }) => uri));
    for (const listed of skills) {
      const id = ids.get(listed.uri.key);
      if (id !== undefined) shown.set(id, { listed, entry: makeEntry(listed, id, making) });
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

  /** The skill of an id, as long as it is still the one at this address. */
  skill({ id, path }: Pick<SkillEntry, "id" | "path">): ShownSkill | undefined {
    const found = this.#skills.get(id);
    return found?.entry.path === path ? found : undefined;
  }

  /** Nobody here decides about skills of others. */
  standing(): undefined {
    return undefined;
  }

  /** Below everything that is of this machine, in every order. */
  kind(id: string): "third_party" | undefined {
    return this.#skills.has(id) ? "third_party" : undefined;
  }
}

export interface ShownSkill {
  readonly listed: ListedSkill;
  readonly entry: SkillEntry;
}

/** Bytes for a token, as for text of which nothing is known. */
const BYTES_PER_TOKEN = 4;
const NO_BYTES = new Uint8Array();
const NO_STAMP = { mtimeMs: 0, ctimeMs: 0, size: 0, ino: 0 };

function makeEntry(
  { uri, said, files, skillFile, treeHash }: ListedSkill,
  id: string,
  { source, host, limits }: ViewMaking,
): SkillEntry {
  const { name: folder, folder: path } = uri;
  const opened = {
    folder,
    file: undefined,
    skill: said,
    subject: { folder },
    bytes: NO_BYTES,
    stamp: NO_STAMP,
  };
  const type = skillType(
    files.map((file) => file.path),
    true,
  );
  const record = recordSkill(opened, type, limits);
  const found = { id, source, trust: "third_party", path, file: "SKILL.md", mtimeMs: 0 } as const;
  const known = { skillHash: skillFile.digest, bodyTokens: Math.ceil(skillFile.size / BYTES_PER_TOKEN) };
  const entry = toEntry({ ...record, ...known }, found, host);
  // The instructions are not there before someone loads the skill.
  const diagnostics = entry.diagnostics.filter(({ code }) => code !== "BODY_EMPTY");
  return { ...entry, diagnostics, treeHash };
}
