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
}

export interface ItemOptions {
  readonly limits: Pick<Limits, "nameLength" | "descriptionLength">;
  readonly locations: boolean;
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
    // A skill that another program serves has no folder.
    location:
      locations && origin === undefined
        ? writablePath(`${entry.path}/${entry.file ?? "SKILL.md"}`)
        : undefined,
  };
}

const ORIGIN_LENGTH = 64;

/** A path that cannot be written down as it is would name another file; the agent then reads the skill by its id. */
function writablePath(path: string): string | undefined {
  return neutralText(path) === path ? path : undefined;
}

export function withDescriptionCut(item: CatalogueItem, length: number): CatalogueItem {
  return { ...item, description: neutralText(item.description, length) };
}

export function withoutDescription(item: CatalogueItem): CatalogueItem {
  return { ...item, description: "" };
}
