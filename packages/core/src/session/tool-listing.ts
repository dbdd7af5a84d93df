import type { SkillEntry } from "@skillhold/protocol";
import { neutralText } from "../catalogue/index.ts";
import type { SearchHit } from "../search/index.ts";
import { originMark } from "../source/origin.ts";
import type { Session } from "./session.ts";
import { succeedTool, type ToolResult } from "./tool-result.ts";
import { disarmTags } from "./wrap.ts";

/** A skill in the results of list_skills and search_skills. */
export interface SkillItem {
  readonly id: string;
  readonly description: string;
  readonly tags: readonly string[];
  /** The source of a skill from another server. */
  readonly origin?: string;
  /** Set only when the skill is not ready. */
  readonly readiness?: string;
  /** Text around the words that a search matched. */
  readonly snippet?: string;
  /** The words of the query that matched, and where. */
  readonly why?: string;
  /** Only for a hit that may be there because no skill fits. */
  readonly isWeak?: true;
  /** Skills that this one needs. They are not loaded with it. */
  readonly requires?: readonly string[];
  /** How many near copies of it are not listed. */
  readonly versions?: number;
}

export interface SkillListing {
  readonly skills: readonly SkillItem[];
  /** The number of skills that are not listed. */
  readonly more: number;
  /** False when no skill of a search clearly fits. */
  readonly fits?: boolean;
}

export interface ListQuery {
  readonly query?: string | undefined;
  readonly tag?: string | undefined;
}

/** Skills whose id, name or tags contain the query, then search results. */
export async function listSkillItems(
  session: Session,
  { query = "", tag }: ListQuery,
): Promise<ToolResult<SkillListing>> {
  const visible = (await session.list()).filter((entry) => tag === undefined || hasTag(entry, tag));
  const wanted = query.trim().toLowerCase();
  const named = visible.filter((entry) => namesOf(entry).some((name) => name.includes(wanted)));
  const results = wanted === "" ? [] : await session.search(query, session.limits.searchHits);
  const searched = results
    .map(({ entry }) => entry)
    .filter((entry) => tag === undefined || hasTag(entry, tag))
    .filter(({ id }) => !named.some((entry) => entry.id === id));
  return listing(
    [...named, ...searched].map((entry) => itemOf(entry, session)),
    session,
  );
}

export async function searchSkillItems(
  session: Session,
  query: string,
  limit?: number,
): Promise<ToolResult<SkillListing>> {
  const results = await session.search(query, Math.min(limit ?? 5, session.limits.searchHits));
  const items = results.map(({ entry, snippet, hit }) => ({
    ...itemOf(entry, session),
    ...(snippet === "" ? {} : { snippet: shown(snippet, session) }),
    ...reasonsOf(entry, hit),
  }));
  return listing(items, session, results.length > 0 && results.every(({ hit }) => hit.isWeak));
}

/** The parts of a card by which a model chooses among hits. */
function reasonsOf(
  { requiresSkills }: SkillEntry,
  { matched, fields, isWeak, copies }: SearchHit,
): Pick<SkillItem, "why" | "isWeak" | "requires" | "versions"> {
  const words = matched.slice(0, MOST_WORDS).map((word) => disarmTags(neutralText(word, 32)));
  const where = fields.length === 0 ? "" : ` in ${fields.join(", ")}`;
  return {
    ...(words.length === 0 ? {} : { why: `${words.join(", ")}${where}` }),
    ...(isWeak ? { isWeak: true as const } : {}),
    ...(requiresSkills.length === 0
      ? {}
      : { requires: requiresSkills.slice(0, MOST_TAGS).map((id) => disarmTags(neutralText(id, 64))) }),
    ...(copies.length === 0 ? {} : { versions: copies.length }),
  };
}

function listing(items: readonly SkillItem[], session: Session, isUnfit = false): ToolResult<SkillListing> {
  const skills = items.slice(0, session.limits.catalogueSkills);
  const more = items.length - skills.length;
  const rest =
    more === 0 ? [] : [`${more} more skills are not listed. Narrow the list with a query or a tag.`];
  const lines = skills.length === 0 ? ["No skills were found."] : skills.map((item) => lineOf(item));
  const note = isUnfit
    ? ["No skill clearly fits. These are the closest; go on without one if they do not help."]
    : [];
  const text = [...note, ...lines, ...rest].join("\n");
  return succeedTool(text, { skills, more, ...(isUnfit ? { fits: false } : {}) });
}

function lineOf(item: SkillItem): string {
  const { id, description, tags, origin, readiness, snippet, why, isWeak, requires, versions } = item;
  const notes = [
    ...(origin === undefined ? [] : [`from ${neutralText(origin, 64)}`]),
    ...(tags.length === 0 ? [] : [`tags: ${tags.join(", ")}`]),
    ...(readiness === undefined ? [] : [`not ready: ${readiness}`]),
    ...(why === undefined ? [] : [`matches ${why}`]),
    ...(isWeak === true ? ["weak match"] : []),
    ...(requires === undefined ? [] : [`needs ${requires.join(", ")}`]),
    ...(versions === undefined ? [] : [`${versions} more like it`]),
  ];
  const around = snippet === undefined || description.includes(snippet) ? "" : `\n  … ${snippet}`;
  return `- ${id}: ${description}${notes.length === 0 ? "" : ` (${notes.join("; ")})`}${around}`;
}

function itemOf(entry: SkillEntry, session: Session): SkillItem {
  const { id, description, tags, readiness } = entry;
  return {
    id,
    description: shown(description, session),
    tags: tags.slice(0, MOST_TAGS).map((tag) => disarmTags(neutralText(tag, 32))),
    ...originMark(entry),
    ...(readiness.state === "ready" ? {} : { readiness: readiness.state }),
  };
}

const MOST_TAGS = 10;
const MOST_WORDS = 12;

function shown(text: string, session: Session): string {
  return disarmTags(neutralText(text, session.limits.catalogueDescriptionLength));
}

function namesOf({ id, name, tags }: SkillEntry): readonly string[] {
  return [id, name, ...tags].map((text) => text.toLowerCase());
}

function hasTag({ tags }: SkillEntry, tag: string): boolean {
  return tags.some((each) => each.toLowerCase() === tag.trim().toLowerCase());
}
