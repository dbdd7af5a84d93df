import type { Limits, ReadinessState, SkillEntry } from "@skillhold/protocol";
import { originOf } from "../source/origin.ts";
import { neutralText } from "../text/neutral.ts";

/** What a catalogue shows of one skill. Every text is one harmless line, not yet escaped for a format. */
export interface CatalogueItem {
  /** What to call the skill by, exactly. */
  readonly id: string;
  readonly name: string;
  /** Empty when it is left out. */
  readonly description: string;
  /** Set by where the skill comes from, never by its text. */
  readonly isThirdParty: boolean;
  /** The source, of a skill that another program serves. */
  readonly origin: string | undefined;
  readonly readiness: ReadinessState;
  readonly location: string | undefined;
  /** The author's words for filtering, at most eight. */
  readonly tags: readonly string[];
}

export interface ItemOptions {
  readonly limits: Pick<Limits, "nameLength" | "descriptionLength">;
  readonly locations: boolean | ReadonlyMap<string, string>;
}

export function catalogueItem(entry: SkillEntry, { limits, locations }: ItemOptions): CatalogueItem {
  const origin = originOf(entry);
  return {
    id: entry.id,
    name: neutralText(entry.name, limits.nameLength) || entry.id,
    description: neutralText(entry.description, limits.descriptionLength),
    isThirdParty: entry.trust === "third_party",
    origin: origin === undefined ? undefined : neutralText(origin, ORIGIN_LENGTH),
    readiness: entry.readiness.state,
    tags: entry.tags.slice(0, MOST_TAGS).flatMap((tag) => neutralText(tag, TAG_LENGTH) || []),
    // A skill that another program serves has no folder.
    location: origin === undefined ? locate(entry, locations) : undefined,
  };
}

function locate(entry: SkillEntry, locations: ItemOptions["locations"]): string | undefined {
  // A folder with only tools has no file to read.
  if (entry.file === "tools") return undefined;
  const folder = locations === true ? entry.path : locations === false ? undefined : locations.get(entry.id);
  return folder === undefined ? undefined : writablePath(`${folder}/${entry.file ?? "SKILL.md"}`);
}

const ORIGIN_LENGTH = 64;
const MOST_TAGS = 8;
const TAG_LENGTH = 32;

/** A path that cannot be written down as it is would name another file; the agent then reads the skill by its id. */
function writablePath(path: string): string | undefined {
  return neutralText(path) === path ? path : undefined;
}

export function withDescriptionCut(item: CatalogueItem, length: number): CatalogueItem {
  return { ...item, description: neutralText(item.description, length), tags: [] };
}

export function withoutDescription(item: CatalogueItem): CatalogueItem {
  return { ...item, description: "", tags: [] };
}
